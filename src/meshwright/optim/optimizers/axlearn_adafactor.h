// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/slot_dtype.h"

namespace meshwright::optim {

struct AxlearnAdafactorOptions {
  static constexpr char kType[] = "axlearn_adafactor";
  ScheduleConfig learning_rate = {};
  int first_step = 1;
  std::optional<double> b1 = {}, b2 = {};
  double decay_exponent = 0.8;
  bool multiply_by_parameter_scale = false;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<SlotDType> momentum_dtype = {};
  double eps = 1e-30;
  bool factored = true;
  bool trust_ratio = false;
  WeightDecay weight_decay = {};
  double weight_decay_learning_rate_exponent = 0;

  void fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the bias-corrected momentum.");
    f.optional("b2", b2, config::kBelowOne,
               "Decay rate of the bias-corrected second moment. `none`: use decay_exponent.");
    f.optional("decay_exponent", decay_exponent, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_exponent.");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("eps", eps, config::kNotNegative, "Added to squared gradients.");
    f.optional("factored", factored,
               "Keep factored second moments of parameters that declare rows and columns. No "
               "parameter of a built-in model does.");
    f.optional("trust_ratio", trust_ratio,
               "Multiply updates by the ratio of parameter norm to update norm.");
    weight_decay.fields(f);
    f.optional("weight_decay_learning_rate_exponent", weight_decay_learning_rate_exponent,
               "Multiply weight decay by the learning rate to this power.");
  }
};
/// AXLearn's Adafactor. Factors the second moments of parameters that declare a row and a column;
/// clips and scales each stacked layer separately. Unless weight_decay_learning_rate_exponent is
/// set, the learning rate does not multiply the weight decay.
Transform axlearn_adafactor(const AxlearnAdafactorOptions& options, const RunLength& run = {});

}  // namespace meshwright::optim
