// SPDX-License-Identifier: Apache-2.0
// Schedules with phases. The options hold the phase lengths as durations, which are converted to
// steps with the sizes of the run.
#pragma once

#include <optional>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

/// Returns `end` in steps, or the end of the run if `end` is absent. Throws invalid_argument if
/// `run` lacks the size needed for the conversion.
double end_of(const std::optional<DurationConfig>& end, const RunLength& run);

// The functions below throw like steps_of() and end_of().

struct PolynomialConfig {
  static constexpr char kType[] = "polynomial";
  DurationConfig begin = 0;
  double begin_value = 0;
  std::optional<DurationConfig> end = {};
  double end_value = 0;
  double power = 1;

  void fields(auto& f) {
    f.required("begin_value", begin_value, config::kNotNegative, "Value before `begin`.");
    f.required("end_value", end_value, config::kNotNegative, "Value from `end` on.");
    f.optional("begin", begin, "When the value starts to change.");
    f.optional("end", end, "When the value stops changing. `none`: at the end of the run.");
    f.optional("power", power, config::kPositive, "Exponent of the curve. 1: linear.");
  }
  Schedule make(const RunLength& run) const;
};
/// Interpolates from begin_value at `begin` to end_value at `end`; constant before and after. The
/// value is always begin_value if the two steps are equal. Throws invalid_argument if `begin` is
/// after `end`.
Schedule polynomial(const PolynomialConfig& options, const RunLength& run = {});

struct ExponentialConfig {
  static constexpr char kType[] = "exponential";
  DurationConfig begin = 0;
  double begin_value = 0;
  std::optional<DurationConfig> end = {};
  double end_value = 0;

  void fields(auto& f) {
    f.required("begin_value", begin_value, config::kPositive, "Value before `begin`.");
    f.required("end_value", end_value, config::kPositive, "Value from `end` on.");
    f.optional("begin", begin, "When the value starts to change.");
    f.optional("end", end, "When the value stops changing. `none`: at the end of the run.");
  }
  Schedule make(const RunLength& run) const;
};
/// Interpolates linearly in the logarithm of the value. Throws invalid_argument unless both values
/// are positive and `begin` is before `end`.
Schedule exponential(const ExponentialConfig& options, const RunLength& run = {});

struct AdafactorScheduleConfig {
  static constexpr char kType[] = "adafactor";
  double scale = 1;
  DurationConfig warmup = 10000;
  double decay_power = -0.5;
  double step_offset = 0;

  void fields(auto& f) {
    f.optional("scale", scale, config::kPositive, "The peak is scale * warmup^decay_power.");
    f.optional("warmup", warmup, "Length of the warm-up.");
    f.optional("decay_power", decay_power, "Exponent of the decay after the warm-up.");
    f.optional("step_offset", step_offset, config::kNotNegative, "Added to the step.")
        .unit("steps");
  }
  Schedule make(const RunLength& run) const;
};
/// Rises linearly to scale * warmup^decay_power, then decays as scale * step^decay_power.
Schedule adafactor_schedule(const AdafactorScheduleConfig& options, const RunLength& run = {});

// Learning rates with a warm-up. The first update is step 1.

/// Settings shared by schedules with a warm-up.
struct WarmupConfig {
  double peak = 0;
  std::optional<DurationConfig> end = {};  // end of the decay
  DurationConfig warmup = 0;
  double begin_value = 0;  // value at the start of the warm-up

  void warmup_fields(auto& f) {
    f.required("peak", peak, config::kNotNegative, "Value after the warm-up.");
    f.optional("warmup", warmup, "Length of the linear warm-up from begin_value to the peak.");
    f.optional("begin_value", begin_value, config::kNotNegative,
               "Value at the start of the warm-up.");
  }
  void end_field(auto& f) {
    f.optional("end", end, "When the decay ends. `none`: at the end of the run.");
  }
};
/// Warm-up, then a cosine decay to alpha * peak. Holds the peak until decay_begin if that is after
/// the warm-up.
Schedule warmup_cosine(const WarmupConfig& options,
                       double alpha = 0,
                       const std::optional<DurationConfig>& decay_begin = {},
                       const RunLength& run = {});
/// Warm-up, then constant. Ignores `end`.
Schedule warmup_constant(const WarmupConfig& options, const RunLength& run = {});
Schedule warmup_linear(const WarmupConfig& options,
                       double end_value = 0,
                       const RunLength& run = {});
/// Rises to the peak, stays there until decay_begin and falls to alpha * peak. Throws
/// invalid_argument unless warmup <= decay_begin <= end.
Schedule warmup_stable_decay(const WarmupConfig& options,
                             const DurationConfig& decay_begin,
                             double alpha = 0,
                             const RunLength& run = {});
/// seqax's schedule: rises from 0 at step 0, then follows a cosine that reaches final_fraction of
/// the peak at `end` and rises again after that.
Schedule warmup_cosine_cyclic(const WarmupConfig& options,
                              double final_fraction,
                              const RunLength& run = {});

struct WarmupCosineConfig : WarmupConfig {
  static constexpr char kType[] = "warmup_cosine";
  double alpha = 0;
  std::optional<DurationConfig> decay_begin = {};

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

}  // namespace meshwright::optim
