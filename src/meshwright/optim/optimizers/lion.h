// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/slot_dtype.h"

namespace meshwright::optim {

struct LionMoments {
  double b1 = 0.9;
  double b2 = 0.99;
  std::optional<SlotDType> mu_dtype = {};

  void fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the average whose sign is the update.");
    f.optional("b2", b2, config::kBelowOne, "Decay rate of the average that is stored.");
    f.optional("mu_dtype", mu_dtype, "Storage dtype of the average. `none`: f32.");
  }
};
/// Replaces updates with the sign of a moving average. Slot: mu.
Transform scale_by_lion(const LionMoments& moments = {});

struct LionOptions {
  static constexpr char kType[] = "lion";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  LionMoments moments = {};
  bool multiply_by_parameter_scale = false;
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    moments.fields(f);
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    weight_decay.fields(f);
  }
};
/// Lion. The learning rate also multiplies the weight decay.
Transform lion(const LionOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
