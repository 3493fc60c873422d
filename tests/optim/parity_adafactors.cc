// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/adafactor.h"
#include "meshwright/optim/big_vision.h"
#include "meshwright/optim/optim_testutil.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

ParityCase of(std::string name, Transform optimizer) {
  return {std::move(name), learn_by(std::move(optimizer))};
}

std::vector<ParityCase> optax_cases() {
  return {
      of("optax_adafactor",
         optax_adafactor({.learning_rate = parity_rate(0.05), .min_dim_size_to_factor = 16})),
      of("optax_adafactor_all", optax_adafactor({.learning_rate = parity_rate(0.05),
                                                 .min_dim_size_to_factor = 20,
                                                 .decay_rate = 0.7,
                                                 .multiply_by_parameter_scale = false,
                                                 .clipping_threshold = std::nullopt,
                                                 .momentum = 0.9,
                                                 .weight_decay = 0.01})),
  };
}

std::vector<ParityCase> axlearn_cases() {
  return {
      of("axlearn_adafactor", axlearn_adafactor({.learning_rate = parity_rate(0.05)})),
      of("axlearn_adafactor_all", axlearn_adafactor({.learning_rate = parity_rate(0.05),
                                                     .b1 = decay_bias_correction(0.9),
                                                     .b2 = decay_bias_correction(0.98),
                                                     .multiply_by_parameter_scale = true,
                                                     .clipping_threshold = 0.8,
                                                     .weight_decay = 0.1,
                                                     .weight_decay_learning_rate_exponent = 1,
                                                     .eps = 1e-10})),
      of("axlearn_adafactor_lamb", axlearn_adafactor({.learning_rate = parity_rate(0.05),
                                                      .weight_decay = 0.01,
                                                      .eps = 0.5,
                                                      .factored = false,
                                                      .scale_by_trust_ratio = true})),
  };
}

std::vector<ParityCase> t5x_cases() {
  using enum T5xFactor;
  T5xAdafactorOptions all{
      .learning_rate = parity_rate(0.05),
      .multiply_by_parameter_scale = true,
      .parameter_scale_rules = {{"w_(in|q)", false}, {"embed$", false}},
      .beta1 = 0.9,
      .decay_rate = 0.7,
      .weight_decay_rate = 0.1,
      .weight_decay_rate_lr_exponent = 2.0,
      .min_dim_size_to_factor = 16,
      .max_parameter_scale = 0.9,
      .global_norm_clip_threshold = 2.0,
      .axis_rules =
          {{"layers", batch}, {"embed", row}, {"mlp", column}, {"head", column}, {"vocab", column}},
  };
  return {
      of("t5x_adafactor",
         t5x_adafactor({.learning_rate = parity_rate(0.05), .min_dim_size_to_factor = 16})),
      of("t5x_adafactor_all", t5x_adafactor(all)),
      of("t5x_adafactor_decay", t5x_adafactor({.learning_rate = parity_rate(0.05),
                                               .factored = false,
                                               .clipping_threshold = std::nullopt,
                                               .weight_decay_rate = 0.01})),
  };
}

ParityCase big_vision_case() {
  BigVisionOptions options{
      .scaling = scale_by_big_vision_adafactor(
          {.min_dim_size_to_factor = 16, .beta2_cap = 0.8, .clipping_threshold = 1.0}),
      .lr = 0.05,
      .grad_clip_norm = 1.0,
      .wd = 0.01,
      .wd_mults = {{".*/w_[a-z]+", 1.0}},
      .schedules = {{".*", parity_rate(1)}},
  };
  LearnerOptions learner;
  learner.groups = {big_vision_learner(options, parity_specs())};
  return {"big_vision_adafactor", learner};
}

}  // namespace

std::vector<ParityCase> adafactor_cases() {
  std::vector<ParityCase> out = {big_vision_case()};
  for (const auto& family : {optax_cases(), axlearn_cases(), t5x_cases()})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

}  // namespace meshwright::optim
