// SPDX-License-Identifier: Apache-2.0
// Schedules: traced functions that map the step to a value such as a learning rate.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::optim {

using graph::Value;

/// Maps the step to a value, both f32 scalars. The caller decides whether the first update is step
/// 0 or 1.
using Schedule = std::function<Value(Value step)>;

Schedule constant(double value);
/// Returns `schedule` multiplied by `factor`.
Schedule scaled(Schedule schedule, double factor);

/// max(step, warmup_steps)^-0.5.
Schedule inverse_sqrt(double warmup_steps = 1);
/// Half a cosine from init_value to alpha * init_value at decay_steps, then constant.
Schedule cosine_decay(double init_value, double decay_steps, double alpha = 0);

// Decay rates of moving averages. The first update is step 1.

/// 1 - max(step - step_offset, 1)^-c.
Schedule adafactor_decay_rate(double c = 0.8, double step_offset = 0);
/// The decay rate that makes an average that starts at zero equal to a bias-corrected average.
Schedule decay_bias_correction(double decay);
/// 0, 1/2, 2/3, ... before warmup_steps, then `decay`.
Schedule ema_schedule(double decay = 0.9999, double warmup_steps = 1, double step_offset = 0);

// Joined schedules.

/// Switches to schedules[i] at step starts[i - 1]. Each schedule counts steps from its own start.
/// Throws invalid_argument if the starts decrease, or if their number is not one less than the
/// number of schedules.
Schedule stepwise(std::vector<Schedule> schedules, std::vector<double> starts);
/// Joins schedules that count from 1: schedules[0] covers the first lengths[0] steps, schedules[1]
/// the next lengths[1], and so on; the last schedule covers the remaining steps. The value is 0
/// before step 1.
Schedule segment_wise(std::vector<Schedule> schedules, std::vector<double> lengths);
/// `value`, multiplied by the factor of every (step, factor) in `at` whose step has been reached.
Schedule piecewise_constant(double value, std::vector<std::pair<double, double>> at);

}  // namespace meshwright::optim
