// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/t5x_adafactor.h"
#include "meshwright/optim/schedules/reference_schedules.h"
#include "meshwright/optim/transforms/clip.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

using enum T5xFactor;

// The learning rate of all cases.
Schedule rate() {
  return t5x_schedule({.base_learning_rate = 0.1, .warmup_steps = 5});
}

std::map<std::string, T5xFactor> axis_rules() {
  auto rules = t5x_axis_rules();
  rules["head"] = column;
  return rules;
}

// Factors small arrays too.
T5xAdafactorOptions factored() {
  return {.learning_rate = rate(), .min_dim_size_to_factor = 4};
}

ParityCase of(std::string name, const T5xAdafactorOptions& options) {
  return {"t5x_" + std::move(name), learn_by(t5x_adafactor(options))};
}

T5xAdafactorOptions with_momentum(DType dtype) {
  T5xAdafactorOptions out = factored();
  out.beta1 = 0.9;
  out.momentum_dtype = dtype;
  return out;
}

std::vector<ParityCase> single_options() {
  T5xAdafactorOptions small = factored();
  small.min_dim_size_to_factor = 7;
  small.multiply_by_parameter_scale = false;
  small.axis_rules = axis_rules();
  T5xAdafactorOptions decay = factored();
  decay.weight_decay_rate_lr_exponent = 2;
  T5xAdafactorOptions offset = factored();
  offset.decay_rate = 0.6;
  offset.step_offset = -7;
  offset.clipping_threshold = 0.4;
  offset.epsilon1 = 1e-3;
  offset.epsilon2 = 0.5;
  T5xAdafactorOptions skipping = with_momentum(f32);
  skipping.skip_nan_updates = true;
  T5xAdafactorOptions by_axes = factored();
  by_axes.axis_rules = axis_rules();
  return {
      of("adafactor", factored()),
      of("unfactored", {.learning_rate = rate(),
                        .factored = false,
                        .clipping_threshold = std::nullopt,
                        .weight_decay_rate = 0.01}),
      of("small_dims", small),
      of("momentum", with_momentum(f32)),
      of("momentum_bf16", with_momentum(bf16)),
      of("decay_by_rate", decay),
      of("offset", offset),
      of("skip_nan", skipping),
      of("axes", by_axes),
  };
}

ParityCase all_options() {
  Transform clip = clip_by_global_norm({.max_norm = 2.0, .eps = 0});
  Transform adafactor =
      t5x_adafactor({.learning_rate = rate(),
                     .parameter_scale_rules = {{"w_(in|q)", false}, {"embed$", false}},
                     .beta1 = 0.9,
                     .decay_rate = 0.7,
                     .weight_decay_rate = 0.1,
                     .weight_decay_rate_lr_exponent = 2.0,
                     .min_dim_size_to_factor = 4,
                     .max_parameter_scale = 0.9,
                     .axis_rules = axis_rules()});
  return {"t5x_all", learn_by(chain({clip, adafactor}))};
}

// T5X's MultiOptimizer does not change parameters without an optimizer.
ParityCase several_optimizers() {
  T5xAdafactorOptions others{.learning_rate = rate(),
                             .factored = false,
                             .multiply_by_parameter_scale = false,
                             .decay_rate = 0.5};
  LearnerOptions out;
  out.groups = {
      {.name = "matrices", .optimizer = t5x_adafactor(with_momentum(f32))},
      {.name = "others", .optimizer = t5x_adafactor(others)},
      {.name = "none", .optimizer = identity(), .update_rules = {{".*", UpdateType::no_update}}}};
  out.group_rules = {{".*/w_.*", "matrices"}, {".*(bias|norm)", "others"}, {".*", "none"}};
  return {"t5x_multi", out};
}

}  // namespace

std::vector<ParityCase> t5x_cases() {
  std::vector<ParityCase> out = single_options();
  out.push_back(all_options());
  out.push_back(several_optimizers());
  out.push_back({"t5x_adamw", learn_by(adamw({.learning_rate = rate(),
                                              .first_step = 0,
                                              .adam = {.b1 = 0.8, .b2 = 0.95, .eps = 1e-6},
                                              .weight_decay = {0.1}}))});
  return out;
}

std::vector<ScheduleCase> t5x_schedule_cases() {
  auto of = [](std::string name, std::string factors, double decay_factor = 0.03) {
    return ScheduleCase{"t5x_" + std::move(name), t5x_schedule({.factors = std::move(factors),
                                                                .base_learning_rate = 0.7,
                                                                .warmup_steps = 6,
                                                                .decay_factor = decay_factor,
                                                                .steps_per_decay = 5,
                                                                .steps_per_cycle = 13,
                                                                .step_offset = 2,
                                                                .min_learning_rate = 1e-3})};
  };
  return {
      {"t5x_default", t5x_schedule({})},
      of("rsqrt", "constant * linear_warmup * rsqrt_decay"),
      of("normalized", "constant*linear_warmup*rsqrt_normalized_decay"),
      of("linear", "linear_decay"),
      of("every", "constant * decay_every", 0.5),
      of("cosine", "constant * linear_warmup * cosine_decay"),
      of("all",
         "constant * linear_warmup * rsqrt_decay * rsqrt_normalized_decay * decay_every * "
         "cosine_decay"),
  };
}

}  // namespace meshwright::optim
