// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/reference_schedules.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::optim {

using graph::cos;
using graph::floor;
using graph::maximum;
using graph::minimum;
using graph::pow;
using graph::sqrt;
using graph::where;

namespace {

Value number(double value) {
  return graph::constant(value, f32);
}

std::vector<std::string> factor_names(std::string_view factors) {
  std::vector<std::string> out = {""};
  for (char letter : factors) {
    if (letter == '*') {
      out.emplace_back();
    } else if (letter != ' ') {
      out.back() += letter;
    }
  }
  return out;
}

using Factor = Value (*)(const T5xScheduleOptions&, Value step);

const std::vector<std::pair<std::string, Factor>>& t5x_factors() {
  using O = const T5xScheduleOptions&;
  static const std::vector<std::pair<std::string, Factor>> factors = {
      {"constant", [](O o, Value) { return number(o.base_learning_rate); }},
      {"linear_warmup", [](O o, Value step) { return minimum(1.0, step / o.warmup_steps); }},
      {"linear_decay",
       [](O o, Value step) {
         Value falling = 1.0 + o.decay_factor * (o.warmup_steps - step);
         return o.base_learning_rate * minimum(step / o.warmup_steps, falling);
       }},
      {"rsqrt_decay", [](O o, Value step) { return 1.0 / sqrt(maximum(step, o.warmup_steps)); }},
      {"rsqrt_normalized_decay",
       [](O o, Value step) {
         return std::sqrt(o.warmup_steps) / sqrt(maximum(step, o.warmup_steps));
       }},
      {"decay_every",
       [](O o, Value step) {
         return pow(number(o.decay_factor), floor(step / o.steps_per_decay));
       }},
      {"cosine_decay",
       [](O o, Value step) {
         Value progress = maximum(0.0, (step - o.warmup_steps) / o.steps_per_cycle);
         Value in_cycle = progress - floor(progress);
         return maximum(0.0, 0.5 * (1.0 + cos(std::numbers::pi * in_cycle)));
       }},
  };
  return factors;
}

Factor find_factor(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& [factor, function] : t5x_factors()) {
    if (factor == name) return function;
    known.push_back(factor);
  }
  fail(ErrorCode::invalid_argument, "t5x_schedule: unknown factor '", name, "'",
       did_you_mean(name, known));
}

Value stair(const BigVisionScheduleOptions& o, Value step) {
  Value out = number(o.base);
  for (std::size_t i = 0; i < o.steps.size(); ++i)
    out = where(step + 1.0 > o.steps[i], number(o.base * o.mults[i]), out);
  return out;
}

Value decayed(const BigVisionScheduleOptions& o, Value step) {
  Value progress =
      graph::clamp(0.0, (step - o.warmup_steps) / (o.total_steps - o.warmup_steps), 1.0);
  switch (o.decay) {
    case BigVisionDecay::polynomial:
      return o.linear_end + (o.base - o.linear_end) * pow(1.0 - progress, o.power);
    case BigVisionDecay::cosine:
      return o.base * 0.5 * (1.0 + cos(std::numbers::pi * progress));
    case BigVisionDecay::rsqrt: {
      Value late = maximum(step - o.warmup_steps, 0.0);
      return o.base / sqrt(1.0 + (late + o.shift) / o.timescale);
    }
    case BigVisionDecay::rsqrt_2023: {
      Value at = maximum((step + (o.timescale - o.warmup_steps)) / o.timescale, 0.0);
      return where(step > o.warmup_steps, o.base / sqrt(at), o.base);
    }
    case BigVisionDecay::stair:
      return stair(o, step);
  }
  fail(ErrorCode::internal, "big_vision_schedule: unknown decay");
}

}  // namespace

Schedule t5x_schedule(const T5xScheduleOptions& options) {
  std::vector<Factor> factors;
  for (const std::string& name : factor_names(options.factors))
    factors.push_back(find_factor(name));
  return [o = options, factors](Value step) {
    Value at = maximum(step - o.step_offset, 0.0);
    Value out = number(1);
    for (Factor factor : factors)
      out = out * factor(o, at);
    return maximum(out, o.min_learning_rate);
  };
}

Schedule big_vision_schedule(const BigVisionScheduleOptions& options) {
  BigVisionScheduleOptions o = options;
  MW_CHECK(o.total_steps <= 1 || o.warmup_steps < o.total_steps,
           "big_vision_schedule: warmup_steps ", o.warmup_steps, " is not below total_steps ",
           o.total_steps);
  MW_CHECK(o.steps.size() == o.mults.size(), "big_vision_schedule: ", o.steps.size(), " steps but ",
           o.mults.size(), " mults");
  if (o.scale_with_batch_size) o.base *= *o.scale_with_batch_size / 256;
  return [o](Value step) {
    Value out = decayed(o, step);
    if (o.warmup_steps > 0) out = out * minimum(1.0, step / o.warmup_steps);
    if (o.cooldown_steps > 0) out = out * minimum(1.0, (o.total_steps - step) / o.cooldown_steps);
    return out;
  };
}

}  // namespace meshwright::optim
