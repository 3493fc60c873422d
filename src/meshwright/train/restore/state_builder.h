// SPDX-License-Identifier: Apache-2.0
// Builders of states that start from something other than initial values, usually the parameters of
// another run. A builder fills in the arrays it has; all others are initialised.
//
//    StateBuilder b = restore_and_convert(from_checkpoint({.folder = "runs/a"}),
//                                         chain({ema_params(), scopes({{"encoder", "decoder"}})}));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/base/regex.h"
#include "meshwright/base/tree.h"
#include "meshwright/tensor/host_tensor.h"

namespace meshwright::train {

/// An array of a state under construction.
struct StateArray {
  ArrayType type;
  /// The initial value if the builder asked for it, or the built value.
  std::optional<HostTensor> value = {};
  bool is_built = false;
  /// True if a checkpoint may hold the array in another size, which a converter resizes.
  bool has_open_dims = false;
};

/// A state under construction, with arrays named as in train/step/state.h.
struct BuildState {
  std::int64_t step = 0;
  Tree<StateArray> arrays;
};

/// Returns the paths of the arrays that were built.
std::vector<std::string> built_paths(const BuildState& state);

struct StateBuilder {
  std::string name;  // for messages
  /// True if the builder needs initial values, not only types.
  bool needs_values = false;
  std::function<BuildState(BuildState)> build;
};

/// Converts a state (the target) to the form a checkpoint has (the source), and the restored source
/// back to the target: renames arrays, resizes positions or uses averages as parameters.
struct StateConverter {
  std::string name;  // for messages
  bool needs_values = false;
  std::function<BuildState(const BuildState& target)> to_source;
  /// `target` is the argument of the to_source call.
  std::function<BuildState(const BuildState& source, const BuildState& target)> to_target;
};

/// Runs the builders in order. Throws invalid_argument, with all differences, if the builders
/// changed the names in the state, unless `names_may_change`.
StateBuilder chain(std::vector<StateBuilder> builders, bool names_may_change = false);

/// Chains converters, in order from source to target.
StateConverter chain(std::vector<StateConverter> converters);

/// Converts the state to the source's form, builds it, and converts it back. Throws
/// invalid_argument, with all differences, if the names or types changed in the process.
StateBuilder restore_and_convert(StateBuilder builder, StateConverter converter);

/// Returns a builder that supplies arrays from memory, named like "model/decoder/w_q", and step 0.
/// Building throws invalid_argument, listing all mismatches, if the state lacks one of the arrays
/// or has it with another type.
StateBuilder given(Tree<HostTensor> arrays);

/// Returns a builder that removes all arrays whose path matches one of the patterns.
StateBuilder prune(std::vector<Regex> patterns);

/// Sets the value and marks it as built.
void set_built(StateArray& array, HostTensor value);

}  // namespace meshwright::train
