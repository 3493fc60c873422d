// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/optimizers.h"

#include <utility>
#include <vector>

#include "meshwright/optim/transforms/momentum.h"

namespace meshwright::optim {

Transform sgd(const SgdOptions& o) {
  std::vector<Transform> parts;
  Transform decay = add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales});
  if (!o.decouple_weight_decay) parts.push_back(decay);
  if (o.momentum != 0) {
    parts.push_back(
        momentum({.decay = o.momentum, .nesterov = o.nesterov, .dtype = o.momentum_dtype}));
  }
  if (o.decouple_weight_decay) parts.push_back(decay);
  parts.push_back(scale_by_learning_rate(o.learning_rate, o.rate));
  return chain(std::move(parts), "sgd");
}

Transform adamw(const AdamWOptions& o) {
  return chain(
      {
          scale_by_adam(o.adam),
          add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}),
          scale_by_learning_rate(o.learning_rate, o.rate),
      },
      "adamw");
}

Transform adam(const AdamL2Options& o) {
  return chain(
      {
          l2_regularizer(o.l2, o.l2_scales),
          scale_by_adam(o.adam),
          scale_by_learning_rate(o.learning_rate, o.rate),
      },
      "adam");
}

Transform decoupled_adamw(const DecoupledAdamWOptions& o) {
  return chain(
      {
          scale_by_adam(o.adam),
          scale_by_learning_rate(o.learning_rate, {.first_step = o.first_step, .negate = false}),
          add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}),
          scale_by_schedule(o.update_schedule, o.first_step, "update"),
          scale(-1),
      },
      "decoupled_adamw");
}

Transform lion(const LionOptions& o) {
  std::vector<Transform> parts = {scale_by_lion(o.moments)};
  if (o.multiply_by_parameter_scale) parts.push_back(scale_by_param_rms());
  parts.push_back(add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}));
  parts.push_back(scale_by_learning_rate(o.learning_rate, o.rate));
  return chain(std::move(parts), "lion");
}

Transform lamb(const LambOptions& o) {
  return chain(
      {
          scale_by_adam(o.adam),
          add_decayed_weights({.weight_decay = o.weight_decay, .scales = o.decay_scales}),
          scale_by_trust_ratio(o.trust_ratio),
          scale_by_learning_rate(o.learning_rate, o.rate),
      },
      "lamb");
}

}  // namespace meshwright::optim
