// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

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
/// As above, with epochs of as many examples as `epoch_examples` returns. Does not read the data.
optim::RunLength run_length_with_epochs(
    const data::Source& source,
    const Task& task,
    const config::OrEndless<optim::DurationConfig>& max_step,
    std::function<std::optional<std::int64_t>()> epoch_examples);

}  // namespace meshwright::train
