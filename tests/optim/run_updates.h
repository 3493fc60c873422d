// SPDX-License-Identifier: Apache-2.0
// Runs updates on devices.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::optim {

using HostTree = Tree<HostTensor>;

/// Pseudo-random, roughly normal values with this standard deviation, determined by the salt.
HostTree random_values(const ParamSpecs& specs, std::uint32_t salt, double deviation = 1);

struct Updates {
  HostTree params, state;
  std::vector<HostTree> params_after;                    // after each update
  std::vector<std::map<std::string, double>> summaries;  // of each update
  bool has_call = false;                                 // true if one kernel does all steps
};

struct Place {
  mesh::Mesh mesh = {};
  mesh::AxisRules rules = {};  // of parameters and slots
  bool use_kernels = true;
  bool applies = true;
};

/// Applies one update per tree of gradients to these parameters, on the CPU plugin.
Updates run_updates(const Learner& learner,
                    const HostTree& params,
                    const std::vector<HostTree>& gradients,
                    const Place& place = {});

/// The largest absolute difference between corresponding elements.
double largest_difference(const HostTree& a, const HostTree& b);

}  // namespace meshwright::optim
