// SPDX-License-Identifier: Apache-2.0
// The learning-rate schedules of T5X and Big Vision, with the settings of those systems. The first
// update is step 0.
#pragma once

#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/config/type_of.h"
#include "meshwright/optim/schedules/duration_config.h"
#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

struct T5xScheduleConfig {
  static constexpr char kType[] = "t5x";
  /// A product of constant, linear_warmup, linear_decay, rsqrt_decay, rsqrt_normalized_decay,
  /// decay_every and cosine_decay.
  std::string factors = "constant * linear_warmup * rsqrt_decay";
  double base_learning_rate = 0.5;
  double warmup_steps = 1000;
  double decay_factor = 0.5;
  double steps_per_decay = 20000;
  double steps_per_cycle = 100000;
  double step_offset = 0;
  double min_learning_rate = 1e-8;

  void fields(auto& f) {
    f.optional("factors", factors,
               "Factors joined by *: constant, linear_warmup, linear_decay, rsqrt_decay, "
               "rsqrt_normalized_decay, decay_every, cosine_decay.");
    f.optional("base_learning_rate", base_learning_rate, config::kPositive,
               "Value of `constant`. Also scales linear_decay.");
    f.optional("warmup_steps", warmup_steps, config::kPositive, "Number of warm-up steps.")
        .unit("steps");
    f.optional("decay_factor", decay_factor, config::kPositive,
               "Decrease per step of linear_decay, relative to `base_learning_rate`. Factor per "
               "period of decay_every.");
    f.optional("steps_per_decay", steps_per_decay, config::kPositive, "Period of decay_every.");
    f.optional("steps_per_cycle", steps_per_cycle, config::kPositive, "Period of cosine_decay.");
    f.optional("step_offset", step_offset, "Subtracted from the step.").unit("steps");
    f.optional("min_learning_rate", min_learning_rate, config::kNotNegative,
               "Lower bound on the value.");
  }
  Schedule make(const RunLength& run) const;
};
/// Throws invalid_argument for an unknown factor.
Schedule t5x_schedule(const T5xScheduleConfig& options);

/// rsqrt_2023: Big Vision's rsqrt as it was until March 2024.
enum class BigVisionDecay { stair, cosine, rsqrt, rsqrt_2023, polynomial };
inline config::Choices<BigVisionDecay> config_choices(BigVisionDecay) {
  using enum BigVisionDecay;
  return {{"stair", stair},           {"cosine", cosine},         {"rsqrt", rsqrt},
          {"rsqrt_2023", rsqrt_2023}, {"polynomial", polynomial}, {"linear", polynomial}};
}

struct BigVisionScheduleConfig {
  static constexpr char kType[] = "big_vision";
  double base = 1;
  BigVisionDecay decay_type = BigVisionDecay::stair;
  DurationConfig warmup = 0;
  DurationConfig cooldown = 0;
  bool scale_with_batchsize = false;
  double linear_end = 0;                       // polynomial
  double power = 1;                            // polynomial; 1: linear
  DurationConfig timescale = 10000;            // rsqrt
  DurationConfig shift = 0;                    // rsqrt
  std::vector<double> steps = {}, mults = {};  // stair: base * mults[i] once steps[i] is reached

  void fields(auto& f) {
    f.required("decay_type", decay_type, "Shape of the decay.");
    f.optional("base", base, config::kNotNegative, "Value after the warm-up.");
    f.optional("warmup", warmup, "Length of the warm-up, during which a factor rises from 0 to 1.");
    f.optional("cooldown", cooldown,
               "Length of the cooldown, during which a factor falls to 0 by the end of the run.");
    f.optional("scale_with_batchsize", scale_with_batchsize, "Multiply by batch size / 256.");
    f.optional("linear_end", linear_end, config::kNotNegative,
               "Final value of a polynomial decay.");
    f.optional("power", power, config::kPositive, "Exponent of a polynomial decay.");
    f.optional("timescale", timescale, "Time scale of rsqrt.");
    f.optional("shift", shift, "Shift of rsqrt.");
    f.optional("steps", steps, "Steps at which the factor of stair changes.");
    f.optional("mults", mults, config::kNotNegative,
               "Factors that stair applies to `base` from those steps on.");
  }
  Schedule make(const RunLength& run) const;
};
/// Throws invalid_argument unless the run's number of steps is known, the warm-up is shorter than
/// the run, each of `steps` has a factor, and the batch size is known if it scales the schedule.
Schedule big_vision_schedule(const BigVisionScheduleConfig& options, const RunLength& run);

}  // namespace meshwright::optim
