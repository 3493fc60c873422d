// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"

namespace meshwright::optim {

struct DecoupledAdamWOptions {
  static constexpr char kType[] = "decoupled_adamw";
  ScheduleConfig learning_rate = {};  // constant in the paper
  int first_step = 1;
  ScheduleConfig update_schedule = 1.0;
  AdamMoments adam = {};
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    f.optional("update_schedule", update_schedule, config::kNotNegative,
               "Schedule that multiplies both learning rate and weight decay.");
    adam.fields(f);
    weight_decay.fields(f);
  }
};
/// AdamW as its paper defines it: the learning rate does not multiply the weight decay, and
/// update_schedule multiplies both.
Transform decoupled_adamw(const DecoupledAdamWOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
