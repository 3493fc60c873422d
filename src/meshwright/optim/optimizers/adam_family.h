// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/decay.h"

namespace meshwright::optim {

/// Options shared by Adam and AdamW. Each `type` gives a distinct C++ type.
template <const char* type>
struct AdamFamilyOptions {
  static constexpr const char* kType = type;
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  AdamMoments adam = {};
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    adam.fields(f);
    weight_decay.fields(f);
  }
};

}  // namespace meshwright::optim
