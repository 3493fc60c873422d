// SPDX-License-Identifier: Apache-2.0
// Running a module: initial values, then a function of them on some mesh.
#pragma once

#include <functional>
#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/nn/initial_values.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::nn {

using HostTree = Tree<HostTensor>;

/// The values that initial_values gives for key(seed).
HostTree drawn_values(const Module& module, int seed = 0, const InitOptions& options = {});

/// Other values, which need no program to make them.
HostTree made_up_values(const Module& module);

struct Place {
  mesh::Mesh mesh = {};
  mesh::AxisRules params = {}, activations = {};
  std::vector<graph::OutputRule> outputs = {};
};

struct Argument {
  HostTensor value;
  AxisSpec axes;
};

using Body =
    std::function<std::vector<Value>(const ValueTree& params, std::span<const Value> args)>;

/// The results of `body` as a program of parameters and arguments.
std::vector<HostTensor> run_module(const Module& module,
                                   const HostTree& params,
                                   const std::vector<Argument>& args,
                                   const Body& body,
                                   const Place& place = {});

/// Tokens below `limit`, different for every seed: s32 of these dims.
HostTensor some_tokens(Dims dims, int limit, int seed = 1);

/// Numbers between -1 and 1, f32.
HostTensor some_floats(Dims dims, int seed = 1);

/// Fails the test unless |a - b| <= tolerance (1 + |b|) for all elements.
void expect_close(const std::vector<HostTensor>& a,
                  const std::vector<HostTensor>& b,
                  double tolerance);

}  // namespace meshwright::nn
