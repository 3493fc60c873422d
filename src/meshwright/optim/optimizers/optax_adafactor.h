// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/slot_dtype.h"

namespace meshwright::optim {

struct OptaxAdafactorOptions {
  static constexpr char kType[] = "optax_adafactor";
  ScheduleConfig learning_rate = {};
  int first_step = 0;
  std::int64_t min_dim_size_to_factor = 128;
  double decay_rate = 0.8;
  double decay_offset = 0;
  bool multiply_by_parameter_scale = true;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<double> momentum = {};
  std::optional<SlotDType> momentum_dtype = {};
  double eps = 1e-30;
  bool factored = true;
  WeightDecay weight_decay = {};

  void fields(auto& f) {
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "Arrays with smaller dimensions are not factored.");
    f.optional("decay_rate", decay_rate, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_rate.");
    f.optional("decay_offset", decay_offset, "Subtracted from the step.").unit("steps");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("momentum", momentum, config::kBelowOne,
               "Decay rate of the momentum. `none`: no momentum.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("eps", eps, config::kNotNegative, "Added to squared gradients.");
    f.optional("factored", factored, "Keep factored second moments of large arrays.");
    weight_decay.fields(f);
  }
};
/// optax's Adafactor. Factors the second moments over the two largest dimensions; clips and scales
/// each array as a whole. The learning rate does not multiply the weight decay.
Transform optax_adafactor(const OptaxAdafactorOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
