// SPDX-License-Identifier: Apache-2.0
// Optimizers in configs: [optimizer] with a type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/adafactor.h"
#include "meshwright/optim/adam_config.h"
#include "meshwright/optim/adastar.h"
#include "meshwright/optim/big_vision_config.h"
#include "meshwright/optim/muon.h"
#include "meshwright/optim/optimizers.h"
#include "meshwright/optim/rules_config.h"
#include "meshwright/optim/schedule_config.h"

namespace meshwright::optim {

struct AdaptiveDropConfig {
  double decay = 0.99;
  std::vector<double> multipliers = {20, 40, 100};
  std::optional<int> stddev_after;

  void fields(auto& f) {
    f.optional("decay", decay, config::kBelowOne, "of the averages of the norm and its square");
    f.optional("multipliers", multipliers, config::kPositive,
               "a norm of so many times the average is too large");
    f.optional("stddev_after", stddev_after, config::kPositive,
               "the multipliers are those of the deviation over the average, once so many norms "
               "have been seen; none: of the average");
  }
};

/// What becomes of updates whose gradients are not finite or too large.
struct SkipConfig {
  std::optional<AdaptiveDropConfig> adaptive;

  void fields(auto& f) {
    f.optional("adaptive", adaptive, "a limit of the norm that follows the norms seen so far");
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
    f.required("learning_rate", learning_rate, config::kNotNegative, "a number or a schedule");
    f.optional("first_step", first_step, config::between(0, 1),
               "what a schedule gets for the first update: 1 as in AXLearn, 0 as in optax, T5X, "
               "Big Vision and seqax");
    f.optional("clip_norm", clip_norm, config::kPositive, "global norm of the gradient, at most");
    f.optional("drop_norm", drop_norm, config::kPositive,
               "gradients of this global norm or more become zero");
    f.optional("clip_eps", clip_eps, config::kNotNegative,
               "added to the norm; 0 in optax, T5X and seqax");
    f.optional("skip", skip,
               "updates with gradients that are not finite, or that drop_norm or an adaptive limit "
               "drops, change nothing and are not counted; none: dropped gradients become zero");
    f.optional("learning_rate_rules", learning_rate_rules,
               "factors of whole updates; 1 where no pattern matches");
  }
};

struct DecayConfig {
  double weight_decay = 0, weight_decay_otherwise = 1;
  std::vector<ScaleRule> weight_decay_rules;
  bool weight_decay_declared = true;

  void decay_fields(auto& f) {
    f.optional("weight_decay", weight_decay, config::kNotNegative, "how much parameters shrink");
    f.optional("weight_decay_rules", weight_decay_rules, "factors of weight_decay");
    f.optional("weight_decay_otherwise", weight_decay_otherwise, config::kNotNegative,
               "factor where no pattern matches");
    f.optional("weight_decay_declared", weight_decay_declared,
               "whether a scale that the model declares counts before the rules");
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
               "scales learning rate and decay");
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
    f.optional("momentum", momentum, config::kBelowOne, "decay of older updates; 0: none");
    f.optional("nesterov", nesterov, "look one step ahead");
    f.optional("momentum_dtype", momentum_dtype, "of the slot; none: f32");
    decay_fields(f);
    f.optional("decouple_weight_decay", decouple_weight_decay,
               "whether the decay is added after the momentum, not to the gradient");
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
    f.optional("b1", b1, config::kBelowOne, "decay of the average whose sign is taken");
    f.optional("b2", b2, config::kBelowOne, "decay of the average that is kept");
    f.optional("mu_dtype", mu_dtype, "of the slot; none: f32");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale, "times the RMS");
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
    f.optional("beta", beta, config::kBelowOne, "decay of the momentum of matrices");
    f.optional("iterations", iterations, config::kPositive, "of Newton and Schulz");
    f.optional("muon_nesterov", muon_nesterov, "look one step ahead");
    f.optional("consistent_rms", consistent_rms, config::kPositive,
               "RMS of updates; none: times sqrt(max(1, columns / rows))");
    f.optional("adamw_params", adamw_params, "patterns of matrices that AdamW shall serve");
    f.optional("adamw_learning_rate", adamw_learning_rate, config::kNotNegative, "none: the same");
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
    f.optional("b1", b1, config::kBelowOne, "of the momentum, corrected for its start");
    f.optional("b2", b2, config::kBelowOne,
               "of the second moment, corrected for its start; none: decay_exponent");
    f.optional("decay_exponent", decay_exponent, config::kPositive, "decay is 1 - step^-this");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale, "times the RMS");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive, "RMS of an update");
    f.optional("momentum_dtype", momentum_dtype, "of the slot; none: f32");
    f.optional("eps", eps, config::kNotNegative, "added to squared gradients");
    f.optional("factored", factored, "keep rows and columns where declared");
    f.optional("trust_ratio", trust_ratio, "times the parameter's norm over the update's");
    decay_fields(f);
    f.optional("weight_decay_learning_rate_exponent", weight_decay_learning_rate_exponent,
               "decay times the learning rate to this power");
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
               "smaller arrays are kept whole");
    f.optional("decay_rate", decay_rate, config::kPositive, "decay is 1 - step^-this");
    f.optional("decay_offset", decay_offset, "subtracted from the step").unit("steps");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale, "times the RMS");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive, "RMS of an update");
    f.optional("momentum", momentum, config::kBelowOne, "decay of updates; none: no momentum");
    f.optional("momentum_dtype", momentum_dtype, "of the slot; none: f32");
    f.optional("eps", eps, config::kNotNegative, "added to squared gradients");
    f.optional("factored", factored, "keep rows and columns of large arrays");
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
    f.required("params", params, config::kNonEmpty, "pattern that is found anywhere in a path");
    f.required("multiply", multiply, "times the RMS of the parameter, or not");
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
    f.optional("factored", factored, "keep rows and columns");
    f.optional("multiply_by_parameter_scale", multiply_by_parameter_scale, "times the RMS");
    f.optional("parameter_scale_rules", parameter_scale_rules,
               "what holds instead of multiply_by_parameter_scale; the first that matches counts");
    f.optional("beta1", beta1, config::kBelowOne, "decay of updates; none: no momentum");
    f.optional("decay_rate", decay_rate, config::kPositive, "decay is 1 - step^-this");
    f.optional("step_offset", step_offset, "subtracted from the step").unit("steps");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive, "RMS of an update");
    f.optional("weight_decay_rate", weight_decay_rate, config::kNotNegative, "of parameters");
    f.optional("weight_decay_rate_lr_exponent", weight_decay_rate_lr_exponent,
               "decay times the learning rate to this power");
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "smaller arrays are kept whole");
    f.optional("epsilon1", epsilon1, config::kNotNegative, "added to squared gradients");
    f.optional("epsilon2", epsilon2, config::kNotNegative, "least scale of a parameter");
    f.optional("max_parameter_scale", max_parameter_scale, config::kPositive, "largest scale");
    f.optional("momentum_dtype", momentum_dtype, "of the slot; none: f32");
    f.optional("skip_nan_updates", skip_nan_updates, "elements that would become NaN stay");
    f.optional("axis_rules", axis_rules, "what dimensions with these axes are");
    f.optional("standard_axis_rules", standard_axis_rules, "those of T5X's models, below yours");
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
               "scales learning rate and decay");
    f.optional("gradient_decay", gradient_decay, config::kBelowOne,
               "of the average of gradients; none: they are not averaged");
    f.optional("gradient_debias", gradient_debias, "correct that average for its start");
    f.optional("square_decay", square_decay, config::kBelowOne, "of the average of squares");
    f.optional("square_debias", square_debias, "correct that average for its start");
    f.optional("eps", eps, config::kNotNegative, "added to the root of that average");
    f.optional("eps_square", eps_square, config::kNotNegative, "added to squared gradients");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive, "RMS of an update");
    f.optional("update_decay", update_decay, config::kBelowOne,
               "of the average of updates; none: they are not averaged");
    f.optional("update_debias", update_debias, "correct that average for its start");
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
