// SPDX-License-Identifier: Apache-2.0
// The state of training as the system has it whose checkpoints a run reads and writes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/tensor/param_spec.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// For a state with arrays at these paths (train/step/state.h). Empty where the format has no names
/// of its own, and where its system has no such model.
checkpoint::ForeignLayout state_dialect(const Task& task,
                                        std::string_view format,
                                        const std::vector<std::string>& paths,
                                        std::int64_t seed);

/// The same as checkpoint::Manager wants it, while the task lives.
std::function<checkpoint::ForeignLayout(std::string_view format)> dialect_of(
    const Task& task, const ParamSpecs& state, std::int64_t seed);

/// That the system of a format could not go on from a run of this task; empty if it could, or if
/// there is no such system.
std::string dialect_warning(const Task& task, std::string_view format);

}  // namespace meshwright::train
