// SPDX-License-Identifier: Apache-2.0
// AXLearn's AdaStar, which generalises AdamW and Adafactor without factored moments.
#pragma once

#include <optional>

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/decay.h"

namespace meshwright::optim {

struct AdaStarOptions {
  static constexpr char kType[] = "adastar";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  ScheduleConfig update_schedule = 1.0;
  std::optional<double> gradient_decay = 0.9;
  bool gradient_debias = true;
  double square_decay = 0.999;
  bool square_debias = true;
  double eps = 1e-8;
  double eps_square = 0;
  std::optional<double> clipping_threshold = {};  // applied per layer
  std::optional<double> update_decay = {};
  bool update_debias = false;
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    f.optional("update_schedule", update_schedule, config::kNotNegative,
               "Schedule that multiplies both learning rate and weight decay.");
    f.optional("gradient_decay", gradient_decay, config::kBelowOne,
               "Decay rate of the gradient average. `none`: no average.");
    f.optional("gradient_debias", gradient_debias, "Correct the bias of the gradient average.");
    f.optional("square_decay", square_decay, config::kBelowOne,
               "Decay rate of the average of squared gradients.");
    f.optional("square_debias", square_debias,
               "Correct the bias of the average of squared gradients.");
    f.optional("eps", eps, config::kNotNegative, "Added to the square root of that average.");
    f.optional("eps_square", eps_square, config::kNotNegative, "Added to squared gradients.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("update_decay", update_decay, config::kBelowOne,
               "Decay rate of the update average. `none`: no average.");
    f.optional("update_debias", update_debias, "Correct the bias of the update average.");
    weight_decay.fields(f);
  }
};
/// AdaStar. The learning rate does not multiply the weight decay; update_schedule multiplies both.
/// Slots: adastar/nu, adastar/mu if gradients are averaged, and ema/... if updates are averaged.
Transform adastar(const AdaStarOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
