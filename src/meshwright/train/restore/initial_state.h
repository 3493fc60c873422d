// SPDX-License-Identifier: Apache-2.0
// What a run begins with where it restores no checkpoint of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::train {

/// What the builder makes if it wants no initial values, else nothing: before anything is compiled,
/// so that what is wrong with it is told at once.
std::optional<BuildState> build_early(const StateLayout& layout,
                                      const std::optional<StateBuilder>& builder);

/// Initialises the state on the devices: what the builder has as it gives it, all else as it would
/// be without a builder; a builder may be absent. Returns the step that was built. Throws
/// invalid_argument if the builder gives something but not all that is neither parameters nor their
/// averages: the rest of a learner's state would not belong to it. `built`: by build_early.
std::int64_t begin_state(StepRunner& runner,
                         const StateLayout& layout,
                         std::int64_t seed,
                         const std::optional<StateBuilder>& builder,
                         std::optional<BuildState> built = {});

}  // namespace meshwright::train
