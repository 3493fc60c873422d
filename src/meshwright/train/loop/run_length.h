// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/source.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Returns the quantities needed to convert durations of a run on this data to steps. Throws
/// invalid_argument, naming `max_step`, if its unit needs a quantity that the data does not have.
optim::RunLength run_length(const data::Source& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step);
/// As above, for a task with this many tokens per example; 0: no tokens.
optim::RunLength run_length(const data::Source& source,
                            std::int64_t tokens_per_example,
                            const config::OrEndless<optim::DurationConfig>& max_step);

}  // namespace meshwright::train
