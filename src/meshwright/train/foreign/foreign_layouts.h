// SPDX-License-Identifier: Apache-2.0
// Layouts of training states in the systems whose checkpoints a run reads or writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/tensor/param_spec.h"
#include "meshwright/train/foreign/foreign_system.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Returns the layout of a state with arrays at these paths (train/step/state.h). Empty if the
/// system has no such model. `seed` determines the random key for a checkpoint that stores none.
checkpoint::ForeignLayout layout_of(const ForeignSystem& system,
                                    const nn::Module& model,
                                    const std::vector<std::string>& paths,
                                    const optim::LearnerOptions& learner,
                                    std::int64_t seed);

/// Returns a function that finds a system by the name of its format and returns its layout. The
/// task must outlive the function.
checkpoint::FindForeignLayout layouts_of(const ForeignSystems& systems,
                                         const Task& task,
                                         const optim::LearnerOptions& learner,
                                         std::int64_t seed);
/// As above, for a state with these arrays, in the form that checkpoint::Manager expects.
std::function<checkpoint::ForeignLayout(std::string_view format)> layouts_of(
    const ForeignSystems& systems,
    const Task& task,
    const optim::LearnerOptions& learner,
    std::int64_t seed,
    const ParamSpecs& state);

/// Returns a warning if a checkpoint in this format belongs to a system that cannot continue from
/// it, because the system has no such model. Otherwise returns "".
std::string layout_warning(const ForeignSystems& systems,
                           const Task& task,
                           std::string_view format);

}  // namespace meshwright::train
