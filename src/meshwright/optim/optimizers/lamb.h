// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {

struct LambOptions {
  static constexpr char kType[] = "lamb";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  AdamMoments adam = {.eps = 1e-6};
  WeightDecay weight_decay = {};
  TrustRatioOptions trust_ratio = {};  // not in configs

  void fields(auto& f) {
    adam.fields(f);
    weight_decay.fields(f);
  }
};
/// LAMB: AdamW with each update scaled to the norm of its parameter.
Transform lamb(const LambOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
