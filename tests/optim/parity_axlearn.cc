// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "meshwright/optim/optimizers/adam.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/adastar.h"
#include "meshwright/optim/optimizers/axlearn_adafactor.h"
#include "meshwright/optim/optimizers/decoupled_adamw.h"
#include "meshwright/optim/optimizers/lamb.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/optim/transforms/skip.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

const WeightDecay kMatricesOnly{.rate = 0.1, .rules = {{".*/w_[a-z]+", 1.0}}, .otherwise = 0};

ParityCase of(std::string name, Transform optimizer) {
  return {"axlearn_" + std::move(name), learn_by(std::move(optimizer))};
}

std::vector<ParityCase> sgd_and_adam_cases() {
  const Schedule rate = parity_rate(0.05);
  Transform fuji = chain(
      {clip_by_global_norm({.max_norm = 1.0}), decoupled_adamw({.learning_rate = constant(0.05),
                                                                .update_schedule = parity_rate(1),
                                                                .adam = {.b2 = 0.95},
                                                                .weight_decay = {0.1}})});
  return {
      of("sgd_decoupled",
         sgd({.learning_rate = rate, .momentum = {.decay = 0.9}, .weight_decay = {0.1}})),
      of("sgd_coupled", sgd({.learning_rate = rate,
                             .momentum = {.decay = 0.9},
                             .weight_decay = kMatricesOnly,
                             .decouple_weight_decay = false})),
      of("adamw", adamw({.learning_rate = rate, .weight_decay = {0.1}})),
      of("adam_l2", adam({.learning_rate = rate, .weight_decay = {0.01}})),
      of("adamw_decoupled", decoupled_adamw({.learning_rate = constant(0.05),
                                             .update_schedule = parity_rate(1),
                                             .adam = {.b1 = 0.95},
                                             .weight_decay = {0.01}})),
      of("fuji", std::move(fuji)),
  };
}

std::vector<ParityCase> other_cases() {
  return {
      of("lion", lion({.learning_rate = parity_rate(0.02),
                       .moments = {.b1 = 0.95, .b2 = 0.98, .mu_dtype = bf16},
                       .multiply_by_parameter_scale = true,
                       .weight_decay = {0.1}})),
      of("lamb", lamb({.learning_rate = parity_rate(0.02), .weight_decay = {0.1}})),
      of("adastar", adastar({.learning_rate = constant(0.05),
                             .update_schedule = parity_rate(1),
                             .square_decay = 0.99,
                             .eps = 1e-6,
                             .weight_decay = {0.01}})),
      of("adastar_averaged", adastar({.learning_rate = constant(0.05),
                                      .update_schedule = parity_rate(1),
                                      .gradient_decay = std::nullopt,
                                      .square_decay = 0.98,
                                      .square_debias = false,
                                      .eps = 0,
                                      .eps_square = 1e-3,
                                      .clipping_threshold = 0.5,
                                      .update_decay = 0.8})),
  };
}

std::vector<ParityCase> adafactor_cases_of_axlearn() {
  const Schedule rate = parity_rate(0.05);
  return {
      of("adafactor", axlearn_adafactor({.learning_rate = rate})),
      of("adafactor_all", axlearn_adafactor({.learning_rate = rate,
                                             .b1 = 0.9,
                                             .b2 = 0.98,
                                             .multiply_by_parameter_scale = true,
                                             .clipping_threshold = 0.8,
                                             .eps = 1e-10,
                                             .weight_decay = {0.1},
                                             .weight_decay_learning_rate_exponent = 1})),
      of("adafactor_lamb", axlearn_adafactor({.learning_rate = rate,
                                              .eps = 0.5,
                                              .factored = false,
                                              .trust_ratio = true,
                                              .weight_decay = {0.01}})),
  };
}

std::vector<ParityCase> part_cases() {
  auto stepped = [](Transform part) { return chain({std::move(part), scale(-0.05)}); };
  return {
      of("clip", stepped(clip_by_global_norm({.max_norm = 0.5, .drop_norm = 10.0, .eps = 0.1}))),
      of("clip_by_block_rms", stepped(clip_by_block_rms(0.5))),
      of("scale_by_param_block_rms", stepped(scale_by_param_rms(1e-3))),
      of("ema_bf16",
         stepped(ema({.decay = decay_bias_correction(0.9), .debias = false, .dtype = bf16}))),
      of("ema_s8", stepped(ema({.decay = constant(0.9), .dtype = DType::s8}))),
      of("ema_s16", stepped(ema({.decay = constant(0.9), .dtype = DType::s16}))),
  };
}

std::vector<ParityCase> skip_cases() {
  auto skipping = [](const ClipOptions& clip, const SkipOptions& skip = {}) {
    return skip_and_clip(adamw({.learning_rate = parity_rate(0.05), .weight_decay = {0.1}}), clip,
                         skip);
  };
  const AdaptiveDrop by_mean{.decay = 0.9, .multipliers = {10.2, 30}};
  const AdaptiveDrop by_deviation{.decay = 0.9, .multipliers = {3, 8}, .stddev_after = 4};
  return {
      of("skip_and_clip", skipping({.max_norm = 1.0, .drop_norm = 10.0})),
      of("skip_adaptive", skipping({.max_norm = 1.0}, {by_mean})),
      of("skip_by_deviation", skipping({}, {by_deviation})),
  };
}

}  // namespace

std::vector<ParityCase> axlearn_cases() {
  std::vector<ParityCase> out;
  for (const auto& family : {sgd_and_adam_cases(), other_cases(), adafactor_cases_of_axlearn(),
                             part_cases(), skip_cases()})
    out.insert(out.end(), family.begin(), family.end());
  LearnerOptions with_ema = learn_by(adamw({.learning_rate = parity_rate(0.05)}));
  with_ema.ema = EmaOptions{.decay = ema_schedule(0.8, 4)};
  out.push_back({"axlearn_param_ema", with_ema});
  return out;
}

}  // namespace meshwright::optim
