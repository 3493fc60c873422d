// SPDX-License-Identifier: Apache-2.0
// Runs a module: initial values, then a function of them on a mesh.
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

/// Returns the values of initial_values() for key(seed).
HostTree drawn_values(const Module& module, int seed = 0, const InitOptions& options = {});

/// Returns other values, computed without a program.
HostTree made_up_values(const Module& module);

struct Place {
  mesh::Mesh mesh = {};
  mesh::AxisRules params = {}, activations = {};
  std::vector<graph::OutputRule> outputs = {};
  bool use_kernels = true;
};

struct Argument {
  HostTensor value;
  AxisSpec axes;
};

using Body =
    std::function<std::vector<Value>(const ValueTree& params, std::span<const Value> args)>;

/// Returns the results of `body` as a program of parameters and arguments.
std::vector<HostTensor> run_module(const Module& module,
                                   const HostTree& params,
                                   const std::vector<Argument>& args,
                                   const Body& body,
                                   const Place& place = {});

/// Returns s32 tokens below `limit`, different for every seed.
HostTensor some_tokens(Dims dims, int limit, int seed = 1);

/// Returns f32 numbers between -1 and 1.
HostTensor some_floats(Dims dims, int seed = 1);

/// Fails the test unless |a - b| <= tolerance (1 + |b|) for all elements.
void expect_close(const std::vector<HostTensor>& a,
                  const std::vector<HostTensor>& b,
                  double tolerance);

}  // namespace meshwright::nn
