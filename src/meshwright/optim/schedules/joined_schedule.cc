// SPDX-License-Identifier: Apache-2.0
// Schedules that run other schedules in sequence.
#include <algorithm>
#include <numbers>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

using graph::maximum;
using graph::where;

namespace {

void check_joined(const char* what,
                  const std::vector<Schedule>& schedules,
                  const std::vector<double>& numbers) {
  MW_CHECK(schedules.size() == numbers.size() + 1, what, ": ", schedules.size(), " schedules have ",
           numbers.size(), " boundaries, expected one fewer than schedules");
  for (double number : numbers)
    MW_CHECK(number >= 0, what, ": negative boundary ", number);
}

Schedule warmup(const WarmupOptions& o) {
  return polynomial(
      {.begin_value = o.begin_value, .end_step = o.warmup_steps, .end_value = o.peak});
}

}  // namespace

Schedule stepwise(std::vector<Schedule> schedules, std::vector<double> starts) {
  check_joined("stepwise", schedules, starts);
  MW_CHECK(std::is_sorted(starts.begin(), starts.end()), "stepwise: starts must not decrease");
  return [schedules = std::move(schedules), starts = std::move(starts)](Value step) {
    Value out = schedules[0](step);
    for (std::size_t i = 0; i < starts.size(); ++i)
      out = where(step >= starts[i], schedules[i + 1](maximum(step - starts[i], 0.0)), out);
    return out;
  };
}

Schedule segment_wise(std::vector<Schedule> schedules, std::vector<double> lengths) {
  check_joined("segment_wise", schedules, lengths);
  return [schedules = std::move(schedules), lengths = std::move(lengths)](Value step) {
    Value out = where(step >= 1.0, schedules[0](maximum(step, 1.0)), graph::constant(0.0, f32));
    double offset = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      offset += lengths[i];
      out = where(step >= offset + 1, schedules[i + 1](maximum(step - offset, 1.0)), out);
    }
    return out;
  };
}

Schedule warmup_cosine(const WarmupOptions& o, double alpha, double decay_begin_step) {
  std::vector<Schedule> parts;
  std::vector<double> lengths;
  double before_decay = o.warmup_steps;
  if (o.warmup_steps > 0) {
    parts.push_back(warmup(o));
    lengths.push_back(o.warmup_steps);
  }
  if (decay_begin_step > o.warmup_steps) {
    parts.push_back(constant(o.peak));
    lengths.push_back(decay_begin_step - o.warmup_steps);
    before_decay = decay_begin_step;
  }
  MW_CHECK(before_decay < o.max_step, "warmup_cosine: the decay would begin at step ", before_decay,
           " and end at max_step ", o.max_step);
  parts.push_back(cosine_decay(o.peak, o.max_step - before_decay, alpha));
  return segment_wise(parts, lengths);
}

Schedule warmup_constant(const WarmupOptions& o) {
  return segment_wise({warmup(o), constant(o.peak)}, {o.warmup_steps});
}

Schedule warmup_linear(const WarmupOptions& o, double end_value) {
  MW_CHECK(o.warmup_steps <= o.max_step, "warmup_linear: warmup_steps ", o.warmup_steps,
           " is after max_step ", o.max_step);
  Schedule down = polynomial(
      {.begin_value = o.peak, .end_step = o.max_step - o.warmup_steps, .end_value = end_value});
  return segment_wise({warmup(o), down}, {o.warmup_steps});
}

Schedule warmup_stable_decay(const WarmupOptions& o, double decay_begin_step, double alpha) {
  MW_CHECK(o.warmup_steps <= decay_begin_step && decay_begin_step <= o.max_step,
           "warmup_stable_decay: warmup_steps ", o.warmup_steps, ", decay_begin_step ",
           decay_begin_step, " and max_step ", o.max_step, " must not decrease");
  Schedule down = polynomial({.begin_value = o.peak,
                              .end_step = o.max_step - decay_begin_step,
                              .end_value = o.peak * alpha});
  return segment_wise({warmup(o), constant(o.peak), down},
                      {o.warmup_steps, decay_begin_step - o.warmup_steps});
}

Schedule warmup_cosine_cyclic(const WarmupOptions& options, double final_fraction) {
  MW_CHECK(options.warmup_steps < options.max_step, "warmup_cosine_cyclic: warmup_steps ",
           options.warmup_steps, " is not before max_step ", options.max_step);
  return [o = options, final_fraction](Value step) {
    Value part = (step - o.warmup_steps) / (o.max_step - o.warmup_steps);
    Value cosine = graph::cos(part * std::numbers::pi);
    Value decay = o.peak * (final_fraction + (1 - final_fraction) * 0.5 * (1.0 + cosine));
    if (o.warmup_steps == 0) return decay;
    return where(step < o.warmup_steps, (step / o.warmup_steps) * o.peak, decay);
  };
}

}  // namespace meshwright::optim
