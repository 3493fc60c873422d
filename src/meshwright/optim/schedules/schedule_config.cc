// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/schedules/schedule_config.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "meshwright/base/check.h"

namespace meshwright::optim {

double steps_of(const DurationConfig& duration, const RunLength& run, std::string_view what) {
  if (const auto* steps = std::get_if<std::int64_t>(&duration)) {
    MW_CHECK(*steps >= 0, what, ": negative number of steps ", *steps);
    return static_cast<double>(*steps);
  }
  return static_cast<double>(to_steps(std::get<Duration>(duration), run, what));
}

Schedule InverseSqrtConfig::make(const RunLength& run) const {
  return scaled(inverse_sqrt(steps_of(warmup, run, "warmup")), scale);
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
  if (!run.is_known)
    return [](Value) -> Value {
      fail(ErrorCode::internal, "a schedule is used, but the length of the run is unknown");
    };
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
