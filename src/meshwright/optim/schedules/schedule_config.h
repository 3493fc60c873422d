// SPDX-License-Identifier: Apache-2.0
// Schedules as options: learning_rate = 3e-4, or a table with a type.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/optim/schedules/reference_schedules.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

struct PolynomialConfig {
  static constexpr char kType[] = "polynomial";
  double begin_value = 0, end_value = 0, power = 1;
  DurationConfig begin = 0;
  std::optional<DurationConfig> end;

  void fields(auto& f) {
    f.required("begin_value", begin_value, config::kNotNegative, "Value before `begin`.");
    f.required("end_value", end_value, config::kNotNegative, "Value from `end` on.");
    f.optional("begin", begin, "When the value starts to change.");
    f.optional("end", end, "When it stops changing. `none`: at the end of the run.");
    f.optional("power", power, config::kPositive, "Exponent of the curve. 1: linear.");
  }
  Schedule make(const RunLength& run) const;
};

struct ExponentialConfig {
  static constexpr char kType[] = "exponential";
  double begin_value = 0, end_value = 0;
  DurationConfig begin = 0;
  std::optional<DurationConfig> end;

  void fields(auto& f) {
    f.required("begin_value", begin_value, config::kPositive, "Value before `begin`.");
    f.required("end_value", end_value, config::kPositive, "Value from `end` on.");
    f.optional("begin", begin, "When the value starts to change.");
    f.optional("end", end, "When it stops changing. `none`: at the end of the run.");
  }
  Schedule make(const RunLength& run) const;
};

/// The settings that schedules with a warm-up share.
struct WarmupConfig {
  double peak = 0, begin_value = 0;
  DurationConfig warmup = 0;
  std::optional<DurationConfig> end;

  void warmup_fields(auto& f) {
    f.required("peak", peak, config::kNotNegative, "Value after the warm-up.");
    f.optional("warmup", warmup, "Length of the linear warm-up from begin_value to the peak.");
    f.optional("begin_value", begin_value, config::kNotNegative,
               "Value at the start of the warm-up.");
  }
  void end_field(auto& f) {
    f.optional("end", end, "When the decay ends. `none`: at the end of the run.");
  }
  WarmupOptions options(const RunLength& run) const;
};

struct WarmupCosineConfig : WarmupConfig {
  static constexpr char kType[] = "warmup_cosine";
  double alpha = 0;
  std::optional<DurationConfig> decay_begin;

  void fields(auto& f) {
    warmup_fields(f);
    end_field(f);
    f.optional("alpha", alpha, config::kNotNegative, "Final value as a fraction of the peak.");
    f.optional("decay_begin", decay_begin,
               "When the decay begins. `none`: right after the warm-up.");
  }
  Schedule make(const RunLength& run) const;
};

struct WarmupConstantConfig : WarmupConfig {
  static constexpr char kType[] = "warmup_constant";
  void fields(auto& f) { warmup_fields(f); }
  Schedule make(const RunLength& run) const;
};

struct WarmupLinearConfig : WarmupConfig {
  static constexpr char kType[] = "warmup_linear";
  double end_value = 0;

  void fields(auto& f) {
    warmup_fields(f);
    end_field(f);
    f.optional("end_value", end_value, config::kNotNegative, "Final value.");
  }
  Schedule make(const RunLength& run) const;
};

struct WarmupStableDecayConfig : WarmupConfig {
  static constexpr char kType[] = "warmup_stable_decay";
  DurationConfig decay_begin = 0;
  double alpha = 0;

  void fields(auto& f) {
    warmup_fields(f);
    end_field(f);
    f.required("decay_begin", decay_begin, "When the decay begins.");
    f.optional("alpha", alpha, config::kNotNegative, "Final value as a fraction of the peak.");
  }
  Schedule make(const RunLength& run) const;
};

/// seqax's schedule. The first update is step 0.
struct CyclicCosineConfig : WarmupConfig {
  static constexpr char kType[] = "seqax";
  double final_fraction = 0.1;

  void fields(auto& f) {
    f.required("peak", peak, config::kNotNegative, "Value after the warm-up.");
    f.optional("warmup", warmup, "Length of the linear warm-up from 0 to the peak.");
    end_field(f);
    f.optional("final_fraction", final_fraction, config::kFraction,
               "Final value as a fraction of the peak. After the end, the value rises again.");
  }
  Schedule make(const RunLength& run) const;
};

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

struct AdafactorScheduleConfig {
  static constexpr char kType[] = "adafactor";
  double scale = 1, decay_power = -0.5, step_offset = 0;
  DurationConfig warmup = 10000;

  void fields(auto& f) {
    f.optional("scale", scale, config::kPositive, "The peak is scale * warmup^decay_power.");
    f.optional("warmup", warmup, "Length of the warm-up.");
    f.optional("decay_power", decay_power, "Exponent of the decay after the warm-up.");
    f.optional("step_offset", step_offset, config::kNotNegative, "Added to the step.")
        .unit("steps");
  }
  Schedule make(const RunLength& run) const;
};

struct T5xScheduleConfig : T5xScheduleOptions {
  static constexpr char kType[] = "t5x";

  void fields(auto& f) {
    f.optional("factors", factors,
               "Factors joined by *: constant, linear_warmup, linear_decay, rsqrt_decay, "
               "rsqrt_normalized_decay, decay_every, cosine_decay.");
    f.optional("base_learning_rate", base_learning_rate, config::kPositive, "Value of `constant`.");
    f.optional("warmup_steps", warmup_steps, config::kPositive, "Steps of the warm-up.")
        .unit("steps");
    f.optional("decay_factor", decay_factor, config::kPositive,
               "Factor of linear_decay and decay_every.");
    f.optional("steps_per_decay", steps_per_decay, config::kPositive, "Period of decay_every.");
    f.optional("steps_per_cycle", steps_per_cycle, config::kPositive, "Period of cosine_decay.");
    f.optional("step_offset", step_offset, "Subtracted from the step.").unit("steps");
    f.optional("min_learning_rate", min_learning_rate, config::kNotNegative,
               "Lower bound on the value.");
  }
  Schedule make(const RunLength& run) const;
};

inline config::Choices<BigVisionDecay> config_choices(BigVisionDecay) {
  using enum BigVisionDecay;
  return {{"stair", stair},           {"cosine", cosine},         {"rsqrt", rsqrt},
          {"rsqrt_2023", rsqrt_2023}, {"polynomial", polynomial}, {"linear", polynomial}};
}

struct BigVisionScheduleConfig {
  static constexpr char kType[] = "big_vision";
  BigVisionDecay decay_type = BigVisionDecay::stair;
  double base = 1, linear_end = 0, power = 1;
  bool scale_with_batchsize = false;
  DurationConfig warmup = 0, cooldown = 0, timescale = 10000, shift = 0;
  std::vector<double> steps, mults;

  void fields(auto& f) {
    f.required("decay_type", decay_type, "Shape of the decay.");
    f.optional("base", base, config::kNotNegative, "Value after the warm-up.");
    f.optional("warmup", warmup, "Length of the warm-up, a factor that rises from 0 to 1.");
    f.optional("cooldown", cooldown,
               "Length of the cooldown, a factor that falls to 0 at the end of the run.");
    f.optional("scale_with_batchsize", scale_with_batchsize, "Multiply by batch size / 256.");
    f.optional("linear_end", linear_end, config::kNotNegative,
               "Final value of a polynomial decay.");
    f.optional("power", power, config::kPositive, "Exponent of a polynomial decay.");
    f.optional("timescale", timescale, "Time scale of rsqrt.");
    f.optional("shift", shift, "Shift of rsqrt.");
    f.optional("steps", steps, "Steps at which stair changes.");
    f.optional("mults", mults, config::kNotNegative, "Factors of stair from those steps on.");
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
/// Schedule. Unset, it is an error to use it.
struct ScheduleConfig : ScheduleChoice {
  using ScheduleChoice::ScheduleChoice;
  ScheduleConfig();
  // NOLINTNEXTLINE(google-explicit-constructor): an option is set to a schedule
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
