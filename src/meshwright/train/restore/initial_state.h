// SPDX-License-Identifier: Apache-2.0
// The state that a run starts with if it does not restore one of its own checkpoints.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::train {

/// Runs the builder and returns its state; nullopt if there is no builder or it needs initial
/// values. Call this before compilation so that errors are reported early.
std::optional<BuildState> build_early(const StateLayout& layout,
                                      const std::optional<StateBuilder>& builder);

/// Initialises the state on the devices, with the builder's arrays, if there is a builder, and
/// initial values for all others. Returns the step of the built state. Throws invalid_argument if
/// the builder provides some but not all of the arrays other than the parameters and their
/// averages, since the rest of the learner's state would not match. `built` is the result of
/// build_early().
std::int64_t begin_state(StepRunner& runner,
                         const StateLayout& layout,
                         std::int64_t seed,
                         const std::optional<StateBuilder>& builder,
                         std::optional<BuildState> built = {});

}  // namespace meshwright::train
