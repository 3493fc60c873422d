// SPDX-License-Identifier: Apache-2.0
// The training state, a tree of arrays:
//       prng_key     u32[2]
//       model/...    the parameters
//       learner/...  see optim::Learner
//       num_skipped  s32, number of updates not applied because of non-finite values
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/base/tree.h"
#include "meshwright/graph/sharding/module_output.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/param_sharding.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/runtime/executable.h"
#include "meshwright/tensor/param_spec.h"

namespace meshwright::train {

using State = Tree<runtime::DeviceArray>;
using Shardings = Tree<mesh::Sharding>;

/// Devices and shardings of a run.
struct Placement {
  mesh::Mesh mesh;
  mesh::AxisRules params;
  mesh::AxisRules activations;
  /// Rules that choose a sharding strategy by parameter path, instead of `params` alone. The first
  /// match wins, and every parameter must match one. If empty, they are not used.
  std::vector<mesh::StrategyRule> strategies = {};
  /// Shardings of module outputs in training steps. Other activations follow `activations`.
  std::vector<graph::OutputRule> outputs = {};
  /// Optimizer slots whose paths match lie in pinned memory of the host between steps.
  std::optional<Regex> slots_on_host = {};
  /// The device at each mesh position. Defaults to the first devices.
  std::vector<int> device_ids = {};
  /// The machine for which programs are traced.
  graph::ProgramTarget target = {};
};

/// Returns options for programs that run on this placement.
runtime::CompileOptions compile_options(const Placement& placement);

/// Returns the arrays of the training state of a model with these parameters.
ParamSpecs state_specs(const ParamSpecs& params, const optim::Learner& learner);

struct StateLayout {
  ParamSpecs specs;
  Shardings shardings;
  Tree<bool> is_on_host;
  std::vector<std::string> warnings;
};

/// Optimizer slots are sharded like their parameter. Scalars and moving averages of parameters stay
/// on the devices. Throws invalid_argument if a parameter does not fit the mesh.
StateLayout state_layout(const ParamSpecs& params,
                         const optim::Learner& learner,
                         const Placement& placement);

/// Returns one line per array: "State: model/decoder/w_q=f32[4,64](embed q) mesh_axes=[-, tensor]".
std::string describe_state(const StateLayout& layout);
/// Returns a table of the parameters with their shapes, sizes, axes and shardings, and totals.
std::string describe_params(const StateLayout& layout);
/// Returns the size of all arrays in bytes, each counted once.
std::int64_t num_state_bytes(const StateLayout& layout);
/// Returns the number of elements of all parameters.
std::int64_t num_params(const StateLayout& layout);

}  // namespace meshwright::train
