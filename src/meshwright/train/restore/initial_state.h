// SPDX-License-Identifier: Apache-2.0
// The state that a run starts with if it restores no checkpoint of its own.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::train {

/// Runs the builder unless it needs initial values; nullopt otherwise. Call it before compilation
/// so that errors are reported early.
std::optional<BuildState> build_early(const StateLayout& layout,
                                      const std::optional<StateBuilder>& builder);

/// Initialises the state on the devices: arrays from the builder, if there is one, and initial
/// values for all others. Returns the step that was built. Throws invalid_argument if the builder
/// provides some but not all arrays besides the parameters and their averages, since the rest of
/// the learner's state would not match. `built` is the result of build_early().
std::int64_t begin_state(StepRunner& runner,
                         const StateLayout& layout,
                         std::int64_t seed,
                         const std::optional<StateBuilder>& builder,
                         std::optional<BuildState> built = {});

}  // namespace meshwright::train
