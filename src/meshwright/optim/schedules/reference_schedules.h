// SPDX-License-Identifier: Apache-2.0
// The learning-rate schedules of T5X and Big Vision, with the settings of those systems. The first
// update is step 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/optim/schedules/schedule.h"

namespace meshwright::optim {

struct T5xScheduleOptions {
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
};
/// Throws invalid_argument for an unknown factor.
Schedule t5x_schedule(const T5xScheduleOptions& options);

/// rsqrt_2023: Big Vision's rsqrt until March 2024.
enum class BigVisionDecay { stair, cosine, rsqrt, rsqrt_2023, polynomial };

struct BigVisionScheduleOptions {
  double total_steps = 0;
  double base = 1;
  BigVisionDecay decay = BigVisionDecay::stair;
  double warmup_steps = 0;
  double cooldown_steps = 0;
  /// The batch size. If set, `base` is multiplied by scale_with_batch_size / 256.
  std::optional<double> scale_with_batch_size = {};
  double linear_end = 0;                       // polynomial
  double power = 1;                            // polynomial; 1: linear
  double timescale = 10000;                    // rsqrt, in steps
  double shift = 0;                            // rsqrt
  std::vector<double> steps = {}, mults = {};  // stair: from steps[i] on, base * mults[i]
};
/// Throws invalid_argument unless the warm-up is shorter than the run and `steps` and `mults` have
/// equal sizes.
Schedule big_vision_schedule(const BigVisionScheduleOptions& options);

}  // namespace meshwright::optim
