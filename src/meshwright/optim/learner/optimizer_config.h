// SPDX-License-Identifier: Apache-2.0
// Optimizers in configs: [optimizer] with a type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/learner/big_vision_config.h"
#include "meshwright/optim/optimizers/adafactor.h"
#include "meshwright/optim/optimizers/adam_config.h"
#include "meshwright/optim/optimizers/adastar.h"
#include "meshwright/optim/optimizers/muon.h"
#include "meshwright/optim/optimizers/optimizers.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/rules_config.h"

namespace meshwright::optim {

struct AdaptiveDropConfig {
  double decay = 0.99;
  std::vector<double> multipliers = {20, 40, 100};
  std::optional<int> stddev_after;

  void fields(auto& f) {
    f.optional("decay", decay, config::kBelowOne,
               "Decay rate of the averages of the norm and its square.");
    f.optional("multipliers", multipliers, config::kPositive,
               "Norms above this multiple of the average are too large.");
    f.optional("stddev_after", stddev_after, config::kPositive,
               "Once this many norms have been seen, multiply the standard deviation instead and "
               "add the average. `none`: always multiply the average.");
  }
};

/// What becomes of updates whose gradients are not finite or too large.
struct SkipConfig {
  std::optional<AdaptiveDropConfig> adaptive;

  void fields(auto& f) {
    f.optional("adaptive", adaptive, "Limit the gradient norm relative to the norms seen so far.");
  }
};

/// What all optimizers but Big Vision's share.
struct CommonOptimizerConfig {
  ScheduleConfig learning_rate;
  int first_step = 1;
  std::optional<double> clip_norm, drop_norm;
  double clip_eps = 1e-8;
  std::optional<SkipConfig> skip;
  std::vector<ScaleRule> learning_rate_rules;

  void common_fields(auto& f) {
    f.required("learning_rate", learning_rate, config::kNotNegative, "A number or a schedule.");
    f.optional("first_step", first_step, config::between(0, 1),
               "The step a schedule gets for the first update: 1 in AXLearn; 0 in optax, T5X, Big "
               "Vision and seqax.");
    f.optional("clip_norm", clip_norm, config::kPositive,
               "Upper bound on the global gradient norm.");
    f.optional("drop_norm", drop_norm, config::kPositive,
               "Replace gradients by zeros if their global norm reaches this value.");
    f.optional("clip_eps", clip_eps, config::kNotNegative,
               "Added to the norm when clipping. 0 in optax, T5X and seqax.");
    f.optional(
        "skip", skip,
        "Skip updates whose gradients are not finite or exceed drop_norm or the adaptive limit; "
        "they change nothing and do not count. `none`: replace such gradients by zeros.");
    f.optional("learning_rate_rules", learning_rate_rules,
               "Multipliers of whole updates by path. 1 where no pattern matches.");
  }
};

struct DecayConfig {
  double weight_decay = 0, weight_decay_otherwise = 1;
  std::vector<ScaleRule> weight_decay_rules;
  bool weight_decay_declared = true;

  void decay_fields(auto& f) {
    f.optional("weight_decay", weight_decay, config::kNotNegative, "Weight decay.");
    f.optional("weight_decay_rules", weight_decay_rules, "Multipliers of weight_decay by path.");
    f.optional("weight_decay_otherwise", weight_decay_otherwise, config::kNotNegative,
               "Multiplier of weight_decay where no pattern matches.");
    f.optional("weight_decay_declared", weight_decay_declared,
               "Whether weight-decay scales declared by the model take precedence over the rules.");
  }
  DecayScales scales() const;
};

struct AdamWConfig : CommonOptimizerConfig, DecayConfig, AdamConfigFields {
  static constexpr char kType[] = "adamw";
  void fields(auto& f) {
    common_fields(f);
    adam_fields(f);
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct AdamConfig : CommonOptimizerConfig, DecayConfig, AdamConfigFields {
  static constexpr char kType[] = "adam";  // weight_decay goes into the gradient
  void fields(auto& f) {
    common_fields(f);
    adam_fields(f);
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct DecoupledAdamWConfig : CommonOptimizerConfig, DecayConfig, AdamConfigFields {
  static constexpr char kType[] = "decoupled_adamw";
  ScheduleConfig update_schedule = 1.0;

  void fields(auto& f) {
    common_fields(f);
    f.optional("update_schedule", update_schedule, config::kNotNegative,
               "Schedule that multiplies both learning rate and weight decay.");
    adam_fields(f);
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct SgdConfig : CommonOptimizerConfig, DecayConfig {
  static constexpr char kType[] = "sgd";
  double momentum = 0;
  bool nesterov = false, decouple_weight_decay = true;
  std::optional<SlotDType> momentum_dtype;

  void fields(auto& f) {
    common_fields(f);
    f.optional("momentum", momentum, config::kBelowOne,
               "Decay rate of the momentum. 0: no momentum.");
    f.optional("nesterov", nesterov, "Use Nesterov momentum.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    decay_fields(f);
    f.optional("decouple_weight_decay", decouple_weight_decay,
               "Add weight decay after the momentum instead of to the gradient.");
  }
  Transform make(const RunLength& run) const;
};

struct LionConfig : CommonOptimizerConfig, DecayConfig {
  static constexpr char kType[] = "lion";
  double b1 = 0.9, b2 = 0.99;
  std::optional<SlotDType> mu_dtype;
  bool multiply_by_parameter_scale = false;

  void fields(auto& f) {
    common_fields(f);
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the average whose sign is the update.");
    f.optional("b2", b2, config::kBelowOne, "Decay rate of the average that is stored.");
    f.optional("mu_dtype", mu_dtype, "Storage dtype of the average. `none`: f32.");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct LambConfig : CommonOptimizerConfig, DecayConfig, AdamConfigFields {
  static constexpr char kType[] = "lamb";
  LambConfig() { eps = 1e-6; }
  void fields(auto& f) {
    common_fields(f);
    adam_fields(f);
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct MuonConfig : CommonOptimizerConfig, DecayConfig, AdamConfigFields {
  static constexpr char kType[] = "muon";
  double beta = 0.95;
  int iterations = 5;
  bool muon_nesterov = true;
  std::optional<double> consistent_rms = 0.2;
  std::vector<std::string> adamw_params;
  std::optional<ScheduleConfig> adamw_learning_rate;

  void fields(auto& f) {
    common_fields(f);
    f.optional("beta", beta, config::kBelowOne, "Decay rate of the momentum of matrices.");
    f.optional("iterations", iterations, config::kPositive, "Number of Newton-Schulz iterations.");
    f.optional("muon_nesterov", muon_nesterov, "Use Nesterov momentum for matrices.");
    f.optional("consistent_rms", consistent_rms, config::kPositive,
               "RMS that updates are scaled to. `none`: multiply by sqrt(max(1, columns / rows)).");
    f.optional("adamw_params", adamw_params, "Patterns of matrices to train with AdamW.");
    f.optional("adamw_learning_rate", adamw_learning_rate, config::kNotNegative,
               "Learning rate of AdamW. `none`: the same.");
    adam_fields(f);
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

struct AxlearnAdafactorConfig : CommonOptimizerConfig, DecayConfig {
  static constexpr char kType[] = "axlearn_adafactor";
  std::optional<double> b1, b2;
  double decay_exponent = 0.8, eps = 1e-30, weight_decay_learning_rate_exponent = 0;
  bool multiply_by_parameter_scale = false, factored = true, trust_ratio = false;
  std::optional<double> clipping_threshold = 1.0;
  std::optional<SlotDType> momentum_dtype;

  void fields(auto& f) {
    common_fields(f);
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
    f.optional("factored", factored, "Keep factored second moments where the model declares them.");
    f.optional("trust_ratio", trust_ratio,
               "Multiply updates by the ratio of parameter norm to update norm.");
    decay_fields(f);
    f.optional("weight_decay_learning_rate_exponent", weight_decay_learning_rate_exponent,
               "Multiply weight decay by the learning rate to this power.");
  }
  Transform make(const RunLength& run) const;
};

struct OptaxAdafactorConfig : CommonOptimizerConfig, DecayConfig {
  static constexpr char kType[] = "optax_adafactor";
  OptaxAdafactorConfig() { first_step = 0; }
  std::int64_t min_dim_size_to_factor = 128;
  double decay_rate = 0.8, decay_offset = 0, eps = 1e-30;
  bool multiply_by_parameter_scale = true, factored = true;
  std::optional<double> clipping_threshold = 1.0, momentum;
  std::optional<SlotDType> momentum_dtype;

  void fields(auto& f) {
    common_fields(f);
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
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

inline config::Choices<T5xFactor> config_choices(T5xFactor) {
  using enum T5xFactor;
  return {{"none", none}, {"batch", batch}, {"row", row}, {"column", column}};
}

/// { params = "embedding", multiply = false }
struct ParameterScaleRule {
  std::string params;
  bool multiply = true;

  void fields(auto& f) {
    f.required("params", params, config::kNonEmpty, "Pattern to find anywhere in a path.");
    f.required("multiply", multiply, "Whether to multiply updates by the RMS of the parameter.");
  }
};

struct T5xAdafactorConfig : CommonOptimizerConfig {
  static constexpr char kType[] = "t5x_adafactor";
  T5xAdafactorConfig() { first_step = 0; }
  bool factored = true, multiply_by_parameter_scale = true, skip_nan_updates = false;
  std::optional<double> beta1, clipping_threshold = 1.0, weight_decay_rate,
                               weight_decay_rate_lr_exponent, max_parameter_scale;
  double decay_rate = 0.8, step_offset = 0, epsilon1 = 1e-30, epsilon2 = 1e-3;
  std::int64_t min_dim_size_to_factor = 128;
  std::optional<SlotDType> momentum_dtype;
  std::optional<std::map<std::string, T5xFactor>> axis_rules;
  std::vector<ParameterScaleRule> parameter_scale_rules;
  bool standard_axis_rules = false;

  void fields(auto& f) {
    common_fields(f);
    f.optional("factored", factored, "Keep factored second moments.");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale,
               "Multiply updates by the RMS of the parameter.");
    f.optional("parameter_scale_rules", parameter_scale_rules,
               "Exceptions to multiply_by_parameter_scale by path. The first match counts.");
    f.optional("beta1", beta1, config::kBelowOne,
               "Decay rate of the momentum. `none`: no momentum.");
    f.optional("decay_rate", decay_rate, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_rate.");
    f.optional("step_offset", step_offset, "Subtracted from the step.").unit("steps");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("weight_decay_rate", weight_decay_rate, config::kNotNegative, "Weight decay.");
    f.optional("weight_decay_rate_lr_exponent", weight_decay_rate_lr_exponent,
               "Multiply weight decay by the learning rate to this power.");
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "Arrays with smaller dimensions are not factored.");
    f.optional("epsilon1", epsilon1, config::kNotNegative, "Added to squared gradients.");
    f.optional("epsilon2", epsilon2, config::kNotNegative,
               "Lower bound on the scale of a parameter.");
    f.optional("max_parameter_scale", max_parameter_scale, config::kPositive,
               "Upper bound on the scale of a parameter.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("skip_nan_updates", skip_nan_updates,
               "Leave elements unchanged where the update is NaN.");
    f.optional("axis_rules", axis_rules,
               "Roles of dimensions in the factorization, by axis names.");
    f.optional("standard_axis_rules", standard_axis_rules,
               "Apply the axis rules of T5X's models after yours.");
  }
  Transform make(const RunLength& run) const;
};

struct AdaStarConfig : CommonOptimizerConfig, DecayConfig {
  static constexpr char kType[] = "adastar";
  ScheduleConfig update_schedule = 1.0;
  std::optional<double> gradient_decay = 0.9, update_decay, clipping_threshold;
  double square_decay = 0.999, eps = 1e-8, eps_square = 0;
  bool gradient_debias = true, square_debias = true, update_debias = false;

  void fields(auto& f) {
    common_fields(f);
    f.optional("update_schedule", update_schedule, config::kNotNegative,
               "Schedule that multiplies both learning rate and weight decay.");
    f.optional("gradient_decay", gradient_decay, config::kBelowOne,
               "Decay rate of the gradient average. `none`: no average.");
    f.optional("gradient_debias", gradient_debias, "Correct the bias of the gradient average.");
    f.optional("square_decay", square_decay, config::kBelowOne,
               "Decay rate of the average of squared gradients.");
    f.optional("square_debias", square_debias,
               "Correct the bias of the average of squared gradients.");
    f.optional("eps", eps, config::kNotNegative, "Added to the square root of that average.");
    f.optional("eps_square", eps_square, config::kNotNegative, "Added to squared gradients.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("update_decay", update_decay, config::kBelowOne,
               "Decay rate of the update average. `none`: no average.");
    f.optional("update_debias", update_debias, "Correct the bias of the update average.");
    decay_fields(f);
  }
  Transform make(const RunLength& run) const;
};

using OptimizerChoice = std::variant<AdamWConfig,
                                     AdamConfig,
                                     DecoupledAdamWConfig,
                                     SgdConfig,
                                     LionConfig,
                                     LambConfig,
                                     MuonConfig,
                                     AxlearnAdafactorConfig,
                                     OptaxAdafactorConfig,
                                     T5xAdafactorConfig,
                                     AdaStarConfig,
                                     BigVisionConfig>;
struct OptimizerConfig : OptimizerChoice {
  using OptimizerChoice::OptimizerChoice;
};

/// Clipping (with nothing set it only reports the norm), the optimizer, factors by parameter: a
/// chain whose slots have the same names whatever else is set, but for `skip`. Big Vision's is its
/// own chain, and says itself which parameters are frozen. Throws invalid_argument as its parts do.
LearnerGroup make_group(const OptimizerConfig& optimizer,
                        const std::vector<UpdateRule>& rules,
                        const RunLength& run,
                        const ParamSpecs& params);

}  // namespace meshwright::optim

namespace meshwright::config {
extern template const Type& type_of<optim::OptimizerConfig>();
}
