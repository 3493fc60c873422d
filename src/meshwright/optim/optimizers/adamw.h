// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"

namespace meshwright::optim {

struct AdamWOptions {
  static constexpr char kType[] = "adamw";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  AdamMoments adam = {};
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    adam.fields(f);
    weight_decay.fields(f);
  }
};
/// AdamW. The learning rate multiplies the weight decay too.
Transform adamw(const AdamWOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
