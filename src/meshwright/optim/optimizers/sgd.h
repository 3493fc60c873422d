// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/momentum.h"

namespace meshwright::optim {

struct SgdOptions {
  static constexpr char kType[] = "sgd";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  MomentumOptions momentum = {.decay = 0};
  WeightDecay weight_decay = {};
  bool decouple_weight_decay = true;

  void fields(auto& f) {
    f.optional("momentum", momentum.decay, config::kBelowOne,
               "Decay rate of the momentum. 0: no momentum.");
    f.optional("nesterov", momentum.nesterov, "Use Nesterov momentum.");
    f.optional("momentum_dtype", momentum.dtype, "Storage dtype of the momentum. `none`: f32.");
    weight_decay.fields(f);
    f.optional("decouple_weight_decay", decouple_weight_decay,
               "Add weight decay after the momentum instead of to the gradient.");
  }
};
/// Stochastic gradient descent, with momentum unless its decay is 0.
Transform sgd(const SgdOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
