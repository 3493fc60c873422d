// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/adastar.h"
#include "meshwright/optim/big_vision.h"
#include "meshwright/optim/clip.h"
#include "meshwright/optim/ema.h"
#include "meshwright/optim/momentum.h"
#include "meshwright/optim/muon.h"
#include "meshwright/optim/optim_testutil.h"
#include "meshwright/optim/optimizers.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

const LearningRateOptions kFromZero{.first_step = 0};
const DecayScales kMatricesOnly{.rules = {{".*/w_[a-z]+", 1.0}}, .otherwise = 0};

ParityCase of(std::string name, Transform optimizer) {
  return {std::move(name), learn_by(std::move(optimizer))};
}

std::vector<ParityCase> sgd_cases() {
  Schedule rate = parity_rate(0.05);
  return {
      of("sgd", sgd({.learning_rate = rate, .rate = kFromZero})),
      of("sgd_momentum", sgd({.learning_rate = rate, .rate = kFromZero, .momentum = 0.9})),
      of("sgd_nesterov",
         sgd({.learning_rate = rate, .rate = kFromZero, .momentum = 0.9, .nesterov = true})),
      of("sgd_momentum_bf16",
         sgd({.learning_rate = rate, .rate = kFromZero, .momentum = 0.9, .momentum_dtype = bf16})),
      of("axlearn_sgd_decoupled",
         sgd({.learning_rate = rate, .momentum = 0.9, .weight_decay = 0.1})),
      of("axlearn_sgd_coupled", sgd({.learning_rate = rate,
                                     .momentum = 0.9,
                                     .weight_decay = 0.1,
                                     .decay_scales = kMatricesOnly,
                                     .decouple_weight_decay = false})),
  };
}

std::vector<ParityCase> adam_cases() {
  Schedule rate = parity_rate(0.05);
  AdamOptions seqax{.b1 = 0.9, .b2 = 0.95};
  return {
      of("adam", adam({.learning_rate = rate, .rate = kFromZero})),
      of("adamw", adamw({.learning_rate = rate,
                         .rate = kFromZero,
                         .adam = {.b1 = 0.8, .b2 = 0.95, .eps = 1e-6, .eps_root = 1e-5},
                         .weight_decay = 0.1,
                         .decay_scales = kMatricesOnly})),
      of("adamw_bf16", adamw({.learning_rate = rate,
                              .rate = kFromZero,
                              .adam = {.mu_dtype = bf16},
                              .weight_decay = 0.1})),
      of("nadamw", adamw({.learning_rate = rate,
                          .rate = kFromZero,
                          .adam = {.nesterov = true},
                          .weight_decay = 0.1})),
      of("axlearn_adamw", adamw({.learning_rate = rate, .weight_decay = 0.1})),
      of("axlearn_adam_l2", adam({.learning_rate = rate, .l2 = 0.01})),
      of("axlearn_adamw_decoupled", decoupled_adamw({.learning_rate = constant(0.05),
                                                     .update_schedule = parity_rate(1),
                                                     .adam = {.b1 = 0.95},
                                                     .weight_decay = 0.01})),
      of("seqax_adamw", chain({clip_by_global_norm({.max_norm = 1.0, .eps = 0}),
                               adamw({.learning_rate = warmup_cosine_cyclic(
                                          {.peak = 0.05, .max_step = 16, .warmup_steps = 4}, 0.1),
                                      .rate = kFromZero,
                                      .adam = seqax,
                                      .weight_decay = 0.1})})),
  };
}

std::vector<ParityCase> other_cases() {
  Schedule rate = parity_rate(0.02);
  LambOptions lamb_options{.learning_rate = rate, .rate = kFromZero, .weight_decay = 0.1};
  lamb_options.trust_ratio.block = Block::whole;
  LambOptions by_layer = lamb_options;
  by_layer.trust_ratio.block = Block::layer;
  return {
      of("lion", lion({.learning_rate = rate, .rate = kFromZero, .weight_decay = 0.1})),
      of("axlearn_lion", lion({.learning_rate = rate,
                               .moments = {.b1 = 0.95, .b2 = 0.98, .mu_dtype = bf16},
                               .multiply_by_parameter_scale = true,
                               .weight_decay = 0.1})),
      of("axlearn_adastar", adastar({.learning_rate = constant(0.05),
                                     .update_schedule = parity_rate(1),
                                     .moments = {.square = {.decay = 0.99}, .eps = 1e-6},
                                     .weight_decay = 0.01})),
      of("axlearn_adastar_averaged",
         adastar({.learning_rate = constant(0.05),
                  .update_schedule = parity_rate(1),
                  .moments = {.gradient = {},
                              .square = {.decay = 0.98, .debias = false},
                              .eps = 0,
                              .eps_square = 1e-3},
                  .clipping_threshold = 0.5,
                  .update = CorrectedAverage{.decay = 0.8, .debias = false}})),
      of("lamb", lamb(lamb_options)),
      of("lamb_by_layer", lamb(by_layer)),
      of("muon",
         muon({.learning_rate = rate,
               .rate = kFromZero,
               .weight_decay = 0.1,
               .adamw = {.learning_rate = rate, .rate = kFromZero, .adam = {.nesterov = true}}})),
      of("muon_consistent", muon({.learning_rate = rate,
                                  .rate = kFromZero,
                                  .moments = {.nesterov = false, .consistent_rms = 0.2},
                                  .adamw = {.learning_rate = rate, .rate = kFromZero},
                                  .adamw_params = {"decoder/w_in"}})),
  };
}

std::vector<ParityCase> clip_cases() {
  auto clipped = [](Transform clip) { return chain({std::move(clip), scale(-0.05)}); };
  auto averaged = [](const UpdateEmaOptions& options) {
    return chain({ema(options), scale(-0.05)});
  };
  return {
      of("clip_by_global_norm", clipped(clip_by_global_norm({.max_norm = 0.5, .eps = 0}))),
      of("axlearn_clip",
         clipped(clip_by_global_norm({.max_norm = 2.0, .drop_norm = 20.0, .eps = 0.1}))),
      of("clip_by_block_rms", clipped(clip_by_block_rms(0.5, Block::whole))),
      of("axlearn_clip_by_block_rms", clipped(clip_by_block_rms(0.5))),
      of("clip_by_param_norm", clipped(clip_by_param_norm(0.5))),
      of("clip_by_value", clipped(clip_by_value(0.3))),
      of("scale_by_param_rms", clipped(scale_by_param_rms(1e-3))),
      of("ema", averaged({.decay = constant(0.9)})),
      of("axlearn_ema_bf16",
         averaged({.decay = decay_bias_correction(0.9), .debias = false, .dtype = bf16})),
      of("axlearn_ema_s8", averaged({.decay = constant(0.9), .dtype = DType::s8})),
      of("axlearn_ema_s16", averaged({.decay = constant(0.9), .dtype = DType::s16})),
  };
}

std::vector<ParityCase> big_vision_cases() {
  BigVisionOptions adam_mults{
      .scaling = scale_by_adam({.mu_dtype = bf16}),
      .lr = 0.05,
      .grad_clip_norm = 1.0,
      .lr_mults = {{"decoder/.*", 0.5}},
      .wd = 0.01,
      .wd_mults = {{".*/w_in", 1.0}, {".*/w_[a-z]+", 0.5}},
      .schedules = {{".*norm", std::nullopt}, {".*/w_q", parity_rate(2)}, {".*", parity_rate(1)}},
  };
  BigVisionOptions momentum_hp{.scaling = momentum({.decay = 0.9, .dtype = bf16}),
                               .lr = 0.05,
                               .wd = 0.1,
                               .wd_mults = {{".*", 1.0}},
                               .schedules = {{".*", parity_rate(1)}}};
  auto of_group = [](std::string name, const BigVisionOptions& options) {
    LearnerOptions learner;
    learner.groups = {big_vision_learner(options, parity_specs())};
    return ParityCase{std::move(name), learner};
  };
  return {of_group("big_vision_adam", adam_mults), of_group("big_vision_momentum_hp", momentum_hp)};
}

}  // namespace

ParamSpecs parity_specs() {
  using enum FactorRole;
  ParamSpecs out = example_specs();
  for (const char* path : {"decoder/w_in", "decoder/w_out"})
    out.at(path).value().factorization = {row, col};
  out.at("decoder/layers/w_q").value().factorization = {none, row, col};
  out["embed"] = spec_of({40, 36}, "vocab embed");
  return out;
}

std::vector<ParityCase> chain_cases() {
  std::vector<ParityCase> out;
  for (const auto& family :
       {sgd_cases(), adam_cases(), other_cases(), clip_cases(), big_vision_cases()})
    out.insert(out.end(), family.begin(), family.end());
  LearnerOptions with_ema = learn_by(adamw({.learning_rate = parity_rate(0.05)}));
  with_ema.ema = EmaOptions{.decay = ema_schedule(0.8, 4)};
  out.push_back({"axlearn_param_ema", with_ema});
  return out;
}

}  // namespace meshwright::optim
