// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/config/type_of.h"
#include "meshwright/data/core/combinators.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/train/task/task.h"

namespace meshwright::train {

/// Returns the quantities needed to convert durations of a run on this data to steps. Reads the
/// data only to convert epochs. Throws invalid_argument, naming `max_step`, if its unit needs a
/// quantity that the data does not have.
optim::RunLength run_length(const data::SourcePtr& source,
                            const Task& task,
                            const config::OrEndless<optim::DurationConfig>& max_step);
/// As above, with epochs of this many batches.
optim::RunLength run_length_with_epochs(const data::Source& source,
                                        const Task& task,
                                        const config::OrEndless<optim::DurationConfig>& max_step,
                                        std::int64_t batches_per_epoch);

}  // namespace meshwright::train
