// SPDX-License-Identifier: Apache-2.0
// States of training that begin with something else than initial values: with the parameters of
// another run, above all. A builder fills in what it has; what nobody filled in is initialised.
//
//   StateBuilder b = restore_and_convert(from_checkpoint({.folder = "runs/a"}),
//                                        chain({ema_params(), scopes({{"encoder", "decoder"}})}));
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

/// An array of a state that is being built.
struct StateArray {
  ArrayType type;
  /// Its initial value where the builder asked for them, or what was built.
  std::optional<HostTensor> value = {};
  bool is_built = false;
  /// A checkpoint may have it in another size, which a converter sees to.
  bool has_open_dims = false;
};

/// A state that is being built; arrays named as in train/step/state.h.
struct BuildState {
  std::int64_t step = 0;
  Tree<StateArray> arrays;
};

/// The paths of what was built.
std::vector<std::string> built_paths(const BuildState& state);

struct StateBuilder {
  std::string name;  // for messages
  /// Wants initial values, not only types.
  bool needs_values = false;
  std::function<BuildState(BuildState)> build;
};

/// Brings a state to what a checkpoint has (a source), and what was restored back to the state that
/// is wanted (the target): the names of other models, their positions, averages for parameters.
struct StateConverter {
  std::string name;
  bool needs_values = false;
  std::function<BuildState(const BuildState& target)> to_source;
  /// `target`: what to_source was called with.
  std::function<BuildState(const BuildState& source, const BuildState& target)> to_target;
};

/// One builder after the other. Throws invalid_argument, with all differences, if in the end the
/// state has other names than before, unless `names_may_change`.
StateBuilder chain(std::vector<StateBuilder> builders, bool names_may_change = false);

/// Converters in the order from source to target.
StateConverter chain(std::vector<StateConverter> converters);

/// Converts the state to its source, builds that, and converts back. Throws invalid_argument, with
/// all differences, if names or types are not as before.
StateBuilder restore_and_convert(StateBuilder builder, StateConverter converter);

/// Arrays in memory, "model/decoder/w_q", with step 0. Throws invalid_argument, with all of them,
/// for arrays that the state does not have, or not of that type.
StateBuilder given(Tree<HostTensor> arrays);

/// Removes all arrays whose path matches one of the patterns.
StateBuilder prune(std::vector<Regex> patterns);

/// Marks the value as built.
void set_built(StateArray& array, HostTensor value);

}  // namespace meshwright::train
