// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/optimizer_config.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/skip.h"

namespace meshwright::optim {
namespace {

Schedule rate_of(const CommonOptimizerConfig& config, const RunLength& run) {
  return make_schedule(config.learning_rate, run);
}

LearningRateOptions steps_of_rate(const CommonOptimizerConfig& config) {
  return {.first_step = config.first_step};
}

}  // namespace

DecayScales DecayConfig::scales() const {
  return {.rules = scale_rules(weight_decay_rules),
          .otherwise = weight_decay_otherwise,
          .use_declared = weight_decay_declared};
}

AdamOptions AdamConfigFields::adam() const {
  return {.b1 = b1,
          .b2 = b2,
          .eps = eps,
          .eps_root = eps_root,
          .nesterov = nesterov,
          .mu_dtype = dtype_of(mu_dtype),
          .nu_dtype = dtype_of(nu_dtype)};
}

Transform AdamWConfig::make(const RunLength& run) const {
  return adamw({.learning_rate = rate_of(*this, run),
                .rate = steps_of_rate(*this),
                .adam = adam(),
                .weight_decay = weight_decay,
                .decay_scales = scales()});
}

Transform AdamConfig::make(const RunLength& run) const {
  return optim::adam({.learning_rate = rate_of(*this, run),
                      .rate = steps_of_rate(*this),
                      .adam = adam(),
                      .l2 = weight_decay,
                      .l2_scales = scales()});
}

Transform DecoupledAdamWConfig::make(const RunLength& run) const {
  return decoupled_adamw({.learning_rate = rate_of(*this, run),
                          .update_schedule = make_schedule(update_schedule, run),
                          .first_step = first_step,
                          .adam = adam(),
                          .weight_decay = weight_decay,
                          .decay_scales = scales()});
}

Transform SgdConfig::make(const RunLength& run) const {
  return sgd({.learning_rate = rate_of(*this, run),
              .rate = steps_of_rate(*this),
              .momentum = momentum,
              .nesterov = nesterov,
              .momentum_dtype = dtype_of(momentum_dtype),
              .weight_decay = weight_decay,
              .decay_scales = scales(),
              .decouple_weight_decay = decouple_weight_decay});
}

Transform LionConfig::make(const RunLength& run) const {
  return lion({.learning_rate = rate_of(*this, run),
               .rate = steps_of_rate(*this),
               .moments = {.b1 = b1, .b2 = b2, .mu_dtype = dtype_of(mu_dtype)},
               .multiply_by_parameter_scale = multiply_by_parameter_scale,
               .weight_decay = weight_decay,
               .decay_scales = scales()});
}

Transform LambConfig::make(const RunLength& run) const {
  return lamb({.learning_rate = rate_of(*this, run),
               .rate = steps_of_rate(*this),
               .adam = adam(),
               .weight_decay = weight_decay,
               .decay_scales = scales()});
}

Transform MuonConfig::make(const RunLength& run) const {
  Schedule rate = rate_of(*this, run);
  return muon({.learning_rate = rate,
               .rate = steps_of_rate(*this),
               .moments = {.beta = beta,
                           .nesterov = muon_nesterov,
                           .iterations = iterations,
                           .consistent_rms = consistent_rms,
                           .mu_dtype = dtype_of(mu_dtype)},
               .weight_decay = weight_decay,
               .decay_scales = scales(),
               .adamw = {.learning_rate =
                             adamw_learning_rate ? make_schedule(*adamw_learning_rate, run) : rate,
                         .rate = steps_of_rate(*this),
                         .adam = adam(),
                         .weight_decay = weight_decay,
                         .decay_scales = scales()},
               .adamw_params = adamw_params});
}

Transform AxlearnAdafactorConfig::make(const RunLength& run) const {
  AxlearnAdafactorOptions out{
      .learning_rate = rate_of(*this, run),
      .first_step = first_step,
      .b1 = b1 ? decay_bias_correction(*b1) : Schedule(),
      .b2 = b2 ? decay_bias_correction(*b2) : adafactor_decay_rate(decay_exponent),
      .multiply_by_parameter_scale = multiply_by_parameter_scale,
      .clipping_threshold = clipping_threshold,
      .momentum_dtype = dtype_of(momentum_dtype),
      .weight_decay_learning_rate_exponent = weight_decay_learning_rate_exponent,
      .decay_scales = scales(),
      .eps = eps,
      .factored = factored,
      .scale_by_trust_ratio = trust_ratio};
  if (weight_decay != 0) out.weight_decay = weight_decay;
  return axlearn_adafactor(out);
}

Transform OptaxAdafactorConfig::make(const RunLength& run) const {
  OptaxAdafactorOptions out{.learning_rate = rate_of(*this, run),
                            .first_step = first_step,
                            .min_dim_size_to_factor = min_dim_size_to_factor,
                            .decay_rate = decay_rate,
                            .decay_offset = decay_offset,
                            .multiply_by_parameter_scale = multiply_by_parameter_scale,
                            .clipping_threshold = clipping_threshold,
                            .momentum = momentum,
                            .momentum_dtype = dtype_of(momentum_dtype),
                            .decay_scales = scales(),
                            .eps = eps,
                            .factored = factored};
  if (weight_decay != 0) out.weight_decay = weight_decay;
  return optax_adafactor(out);
}

Transform T5xAdafactorConfig::make(const RunLength& run) const {
  std::vector<std::pair<std::string, bool>> scale_rules_by_path;
  for (const ParameterScaleRule& rule : parameter_scale_rules)
    scale_rules_by_path.emplace_back(rule.params, rule.multiply);
  std::map<std::string, T5xFactor> rules = axis_rules.value_or(std::map<std::string, T5xFactor>());
  if (standard_axis_rules) rules.merge(t5x_axis_rules());
  return t5x_adafactor({.learning_rate = rate_of(*this, run),
                        .first_step = first_step,
                        .factored = factored,
                        .multiply_by_parameter_scale = multiply_by_parameter_scale,
                        .parameter_scale_rules = scale_rules_by_path,
                        .beta1 = beta1,
                        .decay_rate = decay_rate,
                        .step_offset = step_offset,
                        .clipping_threshold = clipping_threshold,
                        .weight_decay_rate = weight_decay_rate,
                        .weight_decay_rate_lr_exponent = weight_decay_rate_lr_exponent,
                        .min_dim_size_to_factor = min_dim_size_to_factor,
                        .epsilon1 = epsilon1,
                        .epsilon2 = epsilon2,
                        .max_parameter_scale = max_parameter_scale,
                        .momentum_dtype = dtype_of(momentum_dtype),
                        .skip_nan_updates = skip_nan_updates,
                        .axis_rules = rules});
}

Transform AdaStarConfig::make(const RunLength& run) const {
  auto average = [](const std::optional<double>& decay, bool debias) {
    return decay ? std::optional(CorrectedAverage{*decay, debias}) : std::nullopt;
  };
  return adastar({.learning_rate = rate_of(*this, run),
                  .update_schedule = make_schedule(update_schedule, run),
                  .first_step = first_step,
                  .moments = {.gradient = average(gradient_decay, gradient_debias),
                              .square = {square_decay, square_debias},
                              .eps = eps,
                              .eps_square = eps_square},
                  .clipping_threshold = clipping_threshold,
                  .update = average(update_decay, update_debias),
                  .weight_decay = weight_decay,
                  .decay_scales = scales()});
}

namespace {

SkipOptions skip_options(const CommonOptimizerConfig& config) {
  SkipOptions out{
      .max_norm = config.clip_norm, .drop_norm = config.drop_norm, .eps = config.clip_eps};
  if (const auto& adaptive = config.skip->adaptive) {
    out.adaptive = AdaptiveDrop{.decay = adaptive->decay,
                                .multipliers = adaptive->multipliers,
                                .stddev_after = adaptive->stddev_after};
  }
  return out;
}

template <typename Config>
LearnerGroup group_of(const Config& config,
                      const std::vector<UpdateRule>& rules,
                      const RunLength& run) {
  LearnerGroup out{.name = "", .optimizer = {}, .update_rules = update_rules(rules)};
  Transform scaled = scale_per_param(scale_rules(config.learning_rate_rules));
  if (config.skip) {
    out.optimizer = skip_and_clip(chain({config.make(run), scaled}), skip_options(config));
    return out;
  }
  out.optimizer = chain({
      clip_by_global_norm(
          {.max_norm = config.clip_norm, .drop_norm = config.drop_norm, .eps = config.clip_eps}),
      config.make(run),
      scaled,
  });
  return out;
}

}  // namespace

LearnerGroup make_group(const OptimizerConfig& optimizer,
                        const std::vector<UpdateRule>& rules,
                        const RunLength& run,
                        const ParamSpecs& params) {
  return std::visit(
      [&](const auto& config) {
        if constexpr (requires { config.group(run, params); }) {
          MW_CHECK(rules.empty(), "optimizer big_vision: its schedules say what is frozen; ",
                   "update_rules are for the others");
          return config.group(run, params);
        } else {
          return group_of(config, rules, run);
        }
      },
      static_cast<const OptimizerChoice&>(optimizer));
}

}  // namespace meshwright::optim
