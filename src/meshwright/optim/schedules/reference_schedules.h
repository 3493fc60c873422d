// SPDX-License-Identifier: Apache-2.0
// The learning-rate schedules of T5X and Big Vision, with the settings that those systems have. The
// first update is step 0.
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

/// rsqrt_2023: the rsqrt that Big Vision had until March 2024.
enum class BigVisionDecay { stair, cosine, rsqrt, rsqrt_2023, polynomial };

struct BigVisionScheduleOptions {
  double total_steps = 0;
  double base = 1;
  BigVisionDecay decay = BigVisionDecay::stair;
  double warmup_steps = 0;
  double cooldown_steps = 0;
  /// If set, multiplies `base` by this / 256.
  std::optional<double> scale_with_batch_size = {};
  double linear_end = 0;                       // polynomial
  double power = 1;                            // polynomial; 1: linear
  double timescale = 10000;                    // rsqrt, in steps
  double shift = 0;                            // rsqrt
  std::vector<double> steps = {}, mults = {};  // stair: from steps[i] on, base times mults[i]
};
/// Throws invalid_argument unless the warm-up is shorter than the run and each step has a factor.
Schedule big_vision_schedule(const BigVisionScheduleOptions& options);

}  // namespace meshwright::optim
