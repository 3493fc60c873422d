// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::cos;
using graph::maximum;
using graph::minimum;
using graph::pow;
using graph::where;

namespace {

Value number(double value) {
  return graph::constant(value, f32);
}

}  // namespace

Schedule constant(double value) {
  return [value](Value) { return number(value); };
}

Schedule scaled(Schedule schedule, double factor) {
  return [schedule = std::move(schedule), factor](Value step) { return schedule(step) * factor; };
}

Schedule inverse_sqrt(double warmup_steps) {
  MW_CHECK(warmup_steps > 0, "inverse_sqrt: warmup_steps ", warmup_steps, " must be positive");
  return [warmup_steps](Value step) { return pow(maximum(step, warmup_steps), -0.5); };
}

Schedule cosine_decay(double init_value, double decay_steps, double alpha) {
  MW_CHECK(decay_steps > 0, "cosine_decay: decay_steps ", decay_steps, " must be positive");
  return [=](Value step) {
    Value part = minimum(step, decay_steps) / decay_steps;
    Value decay = 0.5 * (1.0 + cos(part * std::numbers::pi));
    return init_value * ((1 - alpha) * decay + alpha);
  };
}

Schedule adafactor_decay_rate(double c, double step_offset) {
  return [=](Value step) { return 1.0 - pow(maximum(step - step_offset, 1.0), -c); };
}

Schedule decay_bias_correction(double decay) {
  return [decay](Value step) {
    Value base = number(decay);
    return decay * (1.0 - pow(base, step - 1.0)) / (1.0 - pow(base, step));
  };
}

Schedule ema_schedule(double decay, double warmup_steps, double step_offset) {
  MW_CHECK(warmup_steps > 0, "ema_schedule: warmup_steps ", warmup_steps, " must be positive");
  return [=](Value step) {
    Value at = maximum(step - step_offset, 0.0);
    return where(at < warmup_steps, at / (1.0 + at), number(decay));
  };
}

Schedule piecewise_constant(double value, std::vector<std::pair<double, double>> at) {
  return [value, at = std::move(at)](Value step) {
    Value out = number(value);
    for (const auto& [boundary, factor] : at)
      out = out * where(step >= boundary, number(factor), number(1));
    return out;
  };
}

}  // namespace meshwright::optim
