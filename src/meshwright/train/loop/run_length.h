// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/config/type_of.h"
#include "meshwright/data/source.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// What durations of a run on this data are converted with. Throws invalid_argument, naming
/// `max_step`, if its unit needs what the data does not tell.
optim::RunLength run_length(const data::Source& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step);

}  // namespace meshwright::train
