// SPDX-License-Identifier: Apache-2.0
// Schedules as options: a number, as in learning_rate = 3e-4, or a table with a `type`.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/optim/schedules/phased_schedules.h"
#include "meshwright/optim/schedules/reference_schedules.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

struct InverseSqrtConfig {
  static constexpr char kType[] = "inverse_sqrt";
  double scale = 1;
  DurationConfig warmup = 1;

  void fields(auto& f) {
    f.optional("scale", scale, config::kPositive, "Multiplier.");
    f.optional("warmup", warmup, "Length of the constant phase.");
  }
  Schedule make(const RunLength& run) const;
};

struct ScheduleConfig;

struct StepwiseConfig {
  static constexpr char kType[] = "stepwise";
  std::vector<ScheduleConfig> schedules;
  std::vector<DurationConfig> starts;

  void fields(auto& f) {
    f.required("schedules", schedules, config::Check{.at_least = 0, .non_empty = true},
               "Schedules to run in sequence, each from step 0.");
    f.required("starts", starts, "Step at which each schedule but the first starts.");
  }
  Schedule make(const RunLength& run) const;
};

using ScheduleChoice = std::variant<double,
                                    PolynomialConfig,
                                    ExponentialConfig,
                                    WarmupCosineConfig,
                                    WarmupConstantConfig,
                                    WarmupLinearConfig,
                                    WarmupStableDecayConfig,
                                    CyclicCosineConfig,
                                    InverseSqrtConfig,
                                    AdafactorScheduleConfig,
                                    T5xScheduleConfig,
                                    BigVisionScheduleConfig,
                                    StepwiseConfig>;
/// The schedule that an option holds: a number, the settings of a schedule or, in C++ only, any
/// Schedule. Using an unset schedule is an error.
struct ScheduleConfig : ScheduleChoice {
  using ScheduleChoice::ScheduleChoice;
  ScheduleConfig();
  // NOLINTNEXTLINE(google-explicit-constructor): allows an option to be set to a schedule
  ScheduleConfig(Schedule schedule) : custom(std::move(schedule)) {}

  Schedule custom = {};
};

/// Throws invalid_argument if no schedule is set, if it depends on a length that `run` does not
/// have, or if its settings are invalid.
Schedule make_schedule(const ScheduleConfig& schedule, const RunLength& run);

}  // namespace meshwright::optim

namespace meshwright::config {
extern template const Type& type_of<optim::ScheduleConfig>();
}
