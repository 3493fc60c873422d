// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/reference_schedules.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/schedules/phased_schedules.h"

namespace meshwright::optim {

using graph::cos;
using graph::floor;
using graph::maximum;
using graph::minimum;
using graph::pow;
using graph::sqrt;
using graph::where;

namespace {

Value scalar(double value) {
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

using Factor = Value (*)(const T5xScheduleConfig&, Value step);

const std::vector<std::pair<std::string, Factor>>& t5x_factors() {
  using O = const T5xScheduleConfig&;
  static const std::vector<std::pair<std::string, Factor>> factors = {
      {"constant", [](O o, Value) { return scalar(o.base_learning_rate); }},
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
         return pow(scalar(o.decay_factor), floor(step / o.steps_per_decay));
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

// The options that depend on the run, in steps.
struct BigVisionSteps {
  double base = 1;  // scaled by the batch size
  double total = 0, warmup = 0, cooldown = 0, timescale = 0, shift = 0;
};

BigVisionSteps steps_in(const BigVisionScheduleConfig& o, const RunLength& run) {
  BigVisionSteps out{.base = o.base,
                     .total = end_of({}, run),
                     .warmup = steps_of(o.warmup, run, "warmup"),
                     .cooldown = steps_of(o.cooldown, run, "cooldown"),
                     .timescale = steps_of(o.timescale, run, "timescale"),
                     .shift = steps_of(o.shift, run, "shift")};
  if (o.scale_with_batchsize) {
    MW_CHECK(run.batch_examples, "schedule: scale_with_batchsize requires the batch size");
    out.base *= static_cast<double>(*run.batch_examples) / 256;
  }
  return out;
}

Value stair(const BigVisionScheduleConfig& o, double base, Value step) {
  Value out = scalar(base);
  for (std::size_t i = 0; i < o.steps.size(); ++i)
    out = where(step + 1.0 > o.steps[i], scalar(base * o.mults[i]), out);
  return out;
}

Value decayed(const BigVisionScheduleConfig& o, const BigVisionSteps& at, Value step) {
  Value progress = graph::clamp(0.0, (step - at.warmup) / (at.total - at.warmup), 1.0);
  switch (o.decay_type) {
    case BigVisionDecay::polynomial:
      return o.linear_end + (at.base - o.linear_end) * pow(1.0 - progress, o.power);
    case BigVisionDecay::cosine:
      return at.base * 0.5 * (1.0 + cos(std::numbers::pi * progress));
    case BigVisionDecay::rsqrt: {
      Value late = maximum(step - at.warmup, 0.0);
      return at.base / sqrt(1.0 + (late + at.shift) / at.timescale);
    }
    case BigVisionDecay::rsqrt_2023: {
      Value shifted = maximum((step + (at.timescale - at.warmup)) / at.timescale, 0.0);
      return where(step > at.warmup, at.base / sqrt(shifted), at.base);
    }
    case BigVisionDecay::stair:
      return stair(o, at.base, step);
  }
  fail(ErrorCode::internal, "big_vision_schedule: unknown decay");
}

}  // namespace

Schedule t5x_schedule(const T5xScheduleConfig& options) {
  std::vector<Factor> factors;
  for (const std::string& name : factor_names(options.factors))
    factors.push_back(find_factor(name));
  return [o = options, factors](Value step) {
    Value at = maximum(step - o.step_offset, 0.0);
    Value out = scalar(1);
    for (Factor factor : factors)
      out = out * factor(o, at);
    return maximum(out, o.min_learning_rate);
  };
}

Schedule big_vision_schedule(const BigVisionScheduleConfig& options, const RunLength& run) {
  const BigVisionSteps at = steps_in(options, run);
  MW_CHECK(at.total <= 1 || at.warmup < at.total, "big_vision_schedule: warmup_steps ", at.warmup,
           " is not below total_steps ", at.total);
  MW_CHECK(options.steps.size() == options.mults.size(),
           "big_vision_schedule: ", options.steps.size(), " steps but ", options.mults.size(),
           " mults");
  return [o = options, at](Value step) {
    Value out = decayed(o, at, step);
    if (at.warmup > 0) out = out * minimum(1.0, step / at.warmup);
    if (at.cooldown > 0) out = out * minimum(1.0, (at.total - step) / at.cooldown);
    return out;
  };
}

Schedule T5xScheduleConfig::make(const RunLength& /*run*/) const {
  return t5x_schedule(*this);
}
Schedule BigVisionScheduleConfig::make(const RunLength& run) const {
  return big_vision_schedule(*this, run);
}

}  // namespace meshwright::optim
