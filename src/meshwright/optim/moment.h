// SPDX-License-Identifier: Apache-2.0
// Moving averages of updates, as several optimizers keep them.
#pragma once

#include <optional>
#include <string_view>

#include "meshwright/optim/transform.h"

namespace meshwright::optim {

/// (1 - decay) * values + decay * old, in the dtype of the values.
ValueTree moving_average(const ValueTree& values, const ValueTree& old, double decay);
/// A moving average that began with zeros after `number` updates, corrected for that.
ValueTree bias_corrected(const ValueTree& average, double decay, Value number);
/// The average taken one update further, as Nesterov's momentum looks ahead, and corrected.
ValueTree nesterov_average(const ValueTree& values,
                           const ValueTree& average,
                           double decay,
                           Value number);
/// The values in the dtypes of the slots they replace.
ValueTree stored_as(const ValueTree& values, const ValueTree& slots);

}  // namespace meshwright::optim
