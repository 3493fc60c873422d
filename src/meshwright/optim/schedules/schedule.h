// SPDX-License-Identifier: Apache-2.0
// Schedules: values such as learning rates as traced functions of the step.
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

struct PolynomialOptions {
  double begin_step = 0;
  double begin_value = 0;
  double end_step = 1;
  double end_value = 0;
  double power = 1;  // 1: linear
};
/// Interpolates from begin_value at begin_step to end_value at end_step; constant before and after.
/// Always begin_value if the two steps are equal. Throws invalid_argument if begin_step > end_step.
Schedule polynomial(const PolynomialOptions& options);
/// Interpolates linearly in the logarithm of the value. Throws invalid_argument unless both values
/// are positive and begin_step < end_step.
Schedule exponential(const PolynomialOptions& options);

/// max(step, warmup_steps)^-0.5.
Schedule inverse_sqrt(double warmup_steps = 1);
/// Half a cosine from init_value to alpha * init_value at decay_steps, then constant.
Schedule cosine_decay(double init_value, double decay_steps, double alpha = 0);

struct AdafactorScheduleOptions {
  double scale = 1;
  double warmup_steps = 10000;
  double decay_power = -0.5;
  double step_offset = 0;
};
/// Rises linearly to scale * warmup_steps^decay_power, then decays as scale * step^decay_power.
Schedule adafactor_schedule(const AdafactorScheduleOptions& options);

// Decay rates of moving averages. The first update is step 1.

/// 1 - max(step - step_offset, 1)^-c.
Schedule adafactor_decay_rate(double c = 0.8, double step_offset = 0);
/// Decay rate with which an average that starts at zero equals a bias-corrected average.
Schedule decay_bias_correction(double decay);
/// 0, 1/2, 2/3, ... before warmup_steps, then `decay`.
Schedule ema_schedule(double decay = 0.9999, double warmup_steps = 1, double step_offset = 0);

// Joined schedules.

/// Uses schedules[i] from starts[i - 1] on; each counts steps from its own start. Throws
/// invalid_argument if starts decrease, or unless there is one start fewer than schedules.
Schedule stepwise(std::vector<Schedule> schedules, std::vector<double> starts);
/// Joins schedules that count from 1: schedules[0] covers the first lengths[0] steps, schedules[1]
/// the next lengths[1], and so on; the last one covers the rest. The value is 0 before step 1.
Schedule segment_wise(std::vector<Schedule> schedules, std::vector<double> lengths);
/// `value`, multiplied by the factor of every (step, factor) in `at` whose step has been reached.
Schedule piecewise_constant(double value, std::vector<std::pair<double, double>> at);

// Learning rates with a warm-up. The first update is step 1.

struct WarmupOptions {
  double peak = 0;
  double max_step = 0;      // end of the decay
  double warmup_steps = 0;  // 0: none
  double begin_value = 0;   // at the start of the warm-up
};
/// Warm-up, then a cosine decay to alpha * peak. Holds the peak until decay_begin_step if that is
/// after the warm-up.
Schedule warmup_cosine(const WarmupOptions& options, double alpha = 0, double decay_begin_step = 0);
/// Warm-up, then constant. Ignores max_step.
Schedule warmup_constant(const WarmupOptions& options);
Schedule warmup_linear(const WarmupOptions& options, double end_value = 0);
/// Rises to the peak, stays there until decay_begin_step and falls to alpha * peak. Throws
/// invalid_argument unless warmup_steps <= decay_begin_step <= max_step.
Schedule warmup_stable_decay(const WarmupOptions& options,
                             double decay_begin_step,
                             double alpha = 0);
/// seqax's schedule: rises from 0 at step 0, then follows a cosine that reaches final_fraction of
/// the peak at `max_step` and rises again after it.
Schedule warmup_cosine_cyclic(const WarmupOptions& options, double final_fraction);

}  // namespace meshwright::optim
