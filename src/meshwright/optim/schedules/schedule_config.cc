// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/schedule_config.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "meshwright/base/check.h"

namespace meshwright::optim {
namespace {

double end_of(const std::optional<DurationConfig>& end, const RunLength& run) {
  if (end) return steps_of(*end, run, "end");
  MW_CHECK(run.total_steps, "schedule: `end` is not set and the run has no number of steps");
  return static_cast<double>(*run.total_steps);
}

}  // namespace

double steps_of(const DurationConfig& duration, const RunLength& run, std::string_view what) {
  if (const auto* steps = std::get_if<std::int64_t>(&duration)) {
    MW_CHECK(*steps >= 0, what, ": negative number of steps ", *steps);
    return static_cast<double>(*steps);
  }
  return static_cast<double>(to_steps(std::get<Duration>(duration), run, what));
}

Schedule PolynomialConfig::make(const RunLength& run) const {
  return polynomial({.begin_step = steps_of(begin, run, "begin"),
                     .begin_value = begin_value,
                     .end_step = end_of(end, run),
                     .end_value = end_value,
                     .power = power});
}

Schedule ExponentialConfig::make(const RunLength& run) const {
  return exponential({.begin_step = steps_of(begin, run, "begin"),
                      .begin_value = begin_value,
                      .end_step = end_of(end, run),
                      .end_value = end_value});
}

WarmupOptions WarmupConfig::options(const RunLength& run) const {
  return {.peak = peak,
          .max_step = end_of(end, run),
          .warmup_steps = steps_of(warmup, run, "warmup"),
          .begin_value = begin_value};
}

Schedule WarmupCosineConfig::make(const RunLength& run) const {
  double level_until = decay_begin ? steps_of(*decay_begin, run, "decay_begin") : 0;
  return warmup_cosine(options(run), alpha, level_until);
}

Schedule WarmupConstantConfig::make(const RunLength& run) const {
  return warmup_constant(
      {.peak = peak, .warmup_steps = steps_of(warmup, run, "warmup"), .begin_value = begin_value});
}

Schedule WarmupLinearConfig::make(const RunLength& run) const {
  return warmup_linear(options(run), end_value);
}

Schedule WarmupStableDecayConfig::make(const RunLength& run) const {
  return warmup_stable_decay(options(run), steps_of(decay_begin, run, "decay_begin"), alpha);
}

Schedule CyclicCosineConfig::make(const RunLength& run) const {
  return warmup_cosine_cyclic(options(run), final_fraction);
}

Schedule InverseSqrtConfig::make(const RunLength& run) const {
  return scaled(inverse_sqrt(steps_of(warmup, run, "warmup")), scale);
}

Schedule AdafactorScheduleConfig::make(const RunLength& run) const {
  return adafactor_schedule({.scale = scale,
                             .warmup_steps = steps_of(warmup, run, "warmup"),
                             .decay_power = decay_power,
                             .step_offset = step_offset});
}

Schedule T5xScheduleConfig::make(const RunLength&) const {
  return t5x_schedule(*this);
}

Schedule BigVisionScheduleConfig::make(const RunLength& run) const {
  BigVisionScheduleOptions out{.total_steps = end_of({}, run),
                               .base = base,
                               .decay = decay_type,
                               .warmup_steps = steps_of(warmup, run, "warmup"),
                               .cooldown_steps = steps_of(cooldown, run, "cooldown"),
                               .linear_end = linear_end,
                               .power = power,
                               .timescale = steps_of(timescale, run, "timescale"),
                               .shift = steps_of(shift, run, "shift"),
                               .steps = steps,
                               .mults = mults};
  if (scale_with_batchsize) {
    MW_CHECK(run.batch_examples, "schedule: scale_with_batchsize requires the batch size");
    out.scale_with_batch_size = static_cast<double>(*run.batch_examples);
  }
  return big_vision_schedule(out);
}

Schedule StepwiseConfig::make(const RunLength& run) const {
  std::vector<Schedule> parts;
  for (const ScheduleConfig& part : schedules)
    parts.push_back(make_schedule(part, run));
  std::vector<double> begins;
  for (const DurationConfig& start : starts)
    begins.push_back(steps_of(start, run, "starts"));
  return stepwise(parts, begins);
}

ScheduleConfig::ScheduleConfig() : ScheduleChoice(std::numeric_limits<double>::quiet_NaN()) {}

Schedule make_schedule(const ScheduleConfig& schedule, const RunLength& run) {
  if (schedule.custom) return schedule.custom;
  return std::visit(
      [&](const auto& choice) {
        if constexpr (std::is_same_v<std::decay_t<decltype(choice)>, double>) {
          MW_CHECK(!std::isnan(choice), "no schedule is set",
                   "\nSet it to a number or a schedule.");
          return constant(choice);
        } else {
          return choice.make(run);
        }
      },
      static_cast<const ScheduleChoice&>(schedule));
}

}  // namespace meshwright::optim
