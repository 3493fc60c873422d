// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/optimizers/adam.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/lamb.h"
#include "meshwright/optim/optimizers/lion.h"
#include "meshwright/optim/optimizers/muon.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/ema.h"
#include "meshwright/optim/transforms/momentum.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "meshwright/optim/transforms/scale.h"
#include "parity_case.h"

namespace meshwright::optim {
namespace {

const WeightDecay kMatricesOnly{.rate = 0.1, .rules = {{".*/w_[a-z]+", 1.0}}, .otherwise = 0};

ParityCase of(std::string name, Transform optimizer) {
  return {std::move(name), learn_by(std::move(optimizer))};
}

std::vector<ParityCase> sgd_cases() {
  Schedule rate = parity_rate(0.05);
  return {
      of("sgd", sgd({.learning_rate = rate, .first_step = 0})),
      of("sgd_momentum", sgd({.learning_rate = rate, .first_step = 0, .momentum = {.decay = 0.9}})),
      of("sgd_nesterov", sgd({.learning_rate = rate,
                              .first_step = 0,
                              .momentum = {.decay = 0.9, .nesterov = true}})),
      of("sgd_momentum_bf16",
         sgd({.learning_rate = rate, .first_step = 0, .momentum = {.decay = 0.9, .dtype = bf16}})),
  };
}

std::vector<ParityCase> adam_cases() {
  Schedule rate = parity_rate(0.05);
  const AdamMoments seqax{.b1 = 0.9, .b2 = 0.95};
  return {
      of("adam", adam({.learning_rate = rate, .first_step = 0})),
      of("adamw", adamw({.learning_rate = rate,
                         .first_step = 0,
                         .adam = {.b1 = 0.8, .b2 = 0.95, .eps = 1e-6, .eps_root = 1e-5},
                         .weight_decay = kMatricesOnly})),
      of("adamw_bf16", adamw({.learning_rate = rate,
                              .first_step = 0,
                              .adam = {.mu_dtype = bf16},
                              .weight_decay = {0.1}})),
      of("nadamw", adamw({.learning_rate = rate,
                          .first_step = 0,
                          .adam = {.nesterov = true},
                          .weight_decay = {0.1}})),
      of("seqax_adamw", chain({clip_by_global_norm({.max_norm = 1.0, .eps = 0}),
                               adamw({.learning_rate = warmup_cosine_cyclic(
                                          {.peak = 0.05, .end = 16, .warmup = 4}, 0.1),
                                      .first_step = 0,
                                      .adam = seqax,
                                      .weight_decay = {0.1}})})),
  };
}

std::vector<ParityCase> other_cases() {
  Schedule rate = parity_rate(0.02);
  LambOptions lamb_options{.learning_rate = rate, .first_step = 0, .weight_decay = {0.1}};
  lamb_options.trust_ratio.block = Block::whole;
  // Decays Muon's matrices only, not the parameters that AdamW trains.
  const WeightDecay matrices_only{
      .rate = 0.1, .rules = {{".*/w_[a-z]+|embed", 1.0}}, .otherwise = 0};
  return {
      of("lion", lion({.learning_rate = rate, .first_step = 0, .weight_decay = {0.1}})),
      of("lamb", lamb(lamb_options)),
      of("muon", muon({.learning_rate = rate,
                       .first_step = 0,
                       .consistent_rms = std::nullopt,
                       .adam = {.nesterov = true},
                       .weight_decay = matrices_only})),
      of("muon_consistent", muon({.learning_rate = rate,
                                  .first_step = 0,
                                  .muon_nesterov = false,
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
      of("clip_by_block_rms", clipped(clip_by_block_rms(0.5, Block::whole))),
      of("clip_by_param_norm", clipped(clip_by_param_norm(0.5))),
      of("clip_by_value", clipped(clip_by_value(0.3))),
      of("ema", averaged({.decay = 0.9})),
  };
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
  for (const auto& family : {sgd_cases(), adam_cases(), other_cases(), clip_cases()})
    out.insert(out.end(), family.begin(), family.end());
  return out;
}

}  // namespace meshwright::optim
