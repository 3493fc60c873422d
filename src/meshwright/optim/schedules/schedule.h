// SPDX-License-Identifier: Apache-2.0
// Numbers that change over the run, learning rates above all: from a traced step to a traced value.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "meshwright/graph/core/value.h"

namespace meshwright::optim {

using graph::Value;

/// From the step, a scalar f32, to a scalar f32. Which number the first update has is decided where
/// the schedule is used.
using Schedule = std::function<Value(Value step)>;

Schedule constant(double value);
/// The schedule times a number.
Schedule scaled(Schedule schedule, double factor);

struct PolynomialOptions {
  double begin_step = 0;
  double begin_value = 0;
  double end_step = 1;
  double end_value = 0;
  double power = 1;  // 1: a straight line
};
/// begin_value before begin_step, end_value after end_step; where both steps are the same always
/// begin_value. Throws invalid_argument if begin_step > end_step.
Schedule polynomial(const PolynomialOptions& options);
/// A straight line in the logarithm. Throws invalid_argument for values that are not positive.
Schedule exponential(const PolynomialOptions& options);

/// max(step, warmup_steps)^-0.5.
Schedule inverse_sqrt(double warmup_steps = 1);
/// From init_value by half a cosine to alpha * init_value at decay_steps, then constant.
Schedule cosine_decay(double init_value, double decay_steps, double alpha = 0);

struct AdafactorScheduleOptions {
  double scale = 1;
  double warmup_steps = 10000;
  double decay_power = -0.5;
  double step_offset = 0;
};
/// Linear up to scale * warmup_steps^decay_power, then falling as that power of the step.
Schedule adafactor_schedule(const AdafactorScheduleOptions& options);

// Decay rates of moving averages. They count the first update as 1.

/// 1 - max(step - step_offset, 1)^-c.
Schedule adafactor_decay_rate(double c = 0.8, double step_offset = 0);
/// Makes a moving average that began with zeros one of the values seen so far only.
Schedule decay_bias_correction(double decay);
/// 0, 1/2, 2/3, ... until warmup_steps, then `decay`.
Schedule ema_schedule(double decay = 0.9999, double warmup_steps = 1, double step_offset = 0);

// Joined schedules.

/// schedules[i] from starts[i - 1] on; each counts from its own start. One start fewer than
/// schedules, not decreasing; otherwise invalid_argument.
Schedule stepwise(std::vector<Schedule> schedules, std::vector<double> starts);
/// The same for schedules that count from 1: schedules[k] serves steps 1 + lengths[0] + ... up to
/// and with lengths[0] + ... + lengths[k], the last one all that follow; 0 before step 1.
Schedule segment_wise(std::vector<Schedule> schedules, std::vector<double> lengths);
/// `value`, multiplied by the numbers of all steps in `at` that have come.
Schedule piecewise_constant(double value, std::vector<std::pair<double, double>> at);

// Learning rates with a warm-up, for steps that begin with 1.

struct WarmupOptions {
  double peak = 0;
  double max_step = 0;      // where the decay ends
  double warmup_steps = 0;  // 0: none
  double begin_value = 0;   // of the warm-up
};
/// decay_begin_step > warmup_steps keeps the peak so long. `alpha`: the last value over the peak.
Schedule warmup_cosine(const WarmupOptions& options, double alpha = 0, double decay_begin_step = 0);
/// max_step is not used.
Schedule warmup_constant(const WarmupOptions& options);
Schedule warmup_linear(const WarmupOptions& options, double end_value = 0);
/// Up, level, and down to alpha * peak. Throws invalid_argument unless warmup_steps <=
/// decay_begin_step <= max_step.
Schedule warmup_stable_decay(const WarmupOptions& options,
                             double decay_begin_step,
                             double alpha = 0);
/// seqax's: up from 0 at step 0, then a cosine down to final_fraction at `max_step`, which goes on
/// after it and rises again.
Schedule warmup_cosine_cyclic(const WarmupOptions& options, double final_fraction);

}  // namespace meshwright::optim
