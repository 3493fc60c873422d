// SPDX-License-Identifier: Apache-2.0
// Big Vision's way to put an optimizer together, in configs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/optimizers/adam_config.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/rules_config.h"

namespace meshwright::optim {

struct BigVisionAdamConfig : AdamConfigFields {
  static constexpr char kType[] = "adam";
  void fields(auto& f) { adam_fields(f); }
  Transform make() const;
};

struct BigVisionAdafactorConfig {
  static constexpr char kType[] = "adafactor";
  std::int64_t min_dim_size_to_factor = 32;
  double decay_rate = 0.8, decay_offset = 0, beta2_cap = 0.999, eps = 1e-30;
  std::optional<double> clipping_threshold, momentum = 0.9;
  std::optional<SlotDType> momentum_dtype = SlotDType::bf16;

  void fields(auto& f) {
    f.optional("min_dim_size_to_factor", min_dim_size_to_factor, config::kPositive,
               "Arrays with smaller dimensions are not factored.");
    f.optional("decay_rate", decay_rate, config::kPositive,
               "The decay rate at a step is 1 - step^-decay_rate.");
    f.optional("decay_offset", decay_offset, "Subtracted from the step.").unit("steps");
    f.optional("beta2_cap", beta2_cap, config::kFraction, "Upper bound on the decay rate.");
    f.optional("clipping_threshold", clipping_threshold, config::kPositive,
               "Upper bound on the RMS of an update.");
    f.optional("momentum", momentum, config::kBelowOne,
               "Decay rate of the momentum. `none`: no momentum.");
    f.optional("momentum_dtype", momentum_dtype, "Storage dtype of the momentum. `none`: f32.");
    f.optional("eps", eps, config::kNotNegative, "Added to squared gradients.");
  }
  Transform make() const;
};

struct BigVisionMomentumConfig {
  static constexpr char kType[] = "momentum";
  double momentum = 0.9;
  bool nesterov = false;
  std::optional<SlotDType> dtype = SlotDType::bf16;

  void fields(auto& f) {
    f.optional("momentum", momentum, config::kBelowOne, "Decay rate of the momentum.");
    f.optional("nesterov", nesterov, "Use Nesterov momentum.");
    f.optional("dtype", dtype, "Storage dtype of the momentum. `none`: f32.");
  }
  Transform make() const;
};

struct BigVisionLionConfig {
  static constexpr char kType[] = "lion";
  double b1 = 0.9, b2 = 0.99;
  std::optional<SlotDType> mu_dtype;

  void fields(auto& f) {
    f.optional("b1", b1, config::kBelowOne, "Decay rate of the average whose sign is the update.");
    f.optional("b2", b2, config::kBelowOne, "Decay rate of the average that is stored.");
    f.optional("mu_dtype", mu_dtype, "Storage dtype of the average. `none`: f32.");
  }
  Transform make() const;
};

struct BigVisionSgdConfig {
  static constexpr char kType[] = "sgd";
  void fields(auto&) {}
  Transform make() const;
};

struct BigVisionScheduleRule {
  std::string params;
  std::optional<ScheduleConfig> schedule;

  void fields(auto& f) {
    f.required("params", params, config::kNonEmpty, "Pattern that must match the whole path.");
    f.required("schedule", schedule, config::kNotNegative,
               "Schedule of the learning rate and weight decay. `none`: freeze these parameters.");
  }
};

struct BigVisionConfig {
  static constexpr char kType[] = "big_vision";
  std::variant<BigVisionAdamConfig,
               BigVisionAdafactorConfig,
               BigVisionMomentumConfig,
               BigVisionLionConfig,
               BigVisionSgdConfig>
      scaling;
  double lr = 0;
  std::optional<double> grad_clip_norm;
  std::vector<ScaleRule> lr_mults;
  double wd = 0;
  std::vector<ScaleRule> wd_mults = {{".*/kernel$", 1}};
  std::vector<BigVisionScheduleRule> schedules;

  void fields(auto& f) {
    f.required("scaling", scaling, "How gradients are scaled before the learning rate.");
    f.required("lr", lr, config::kPositive, "Learning rate, multiplied by the schedules.");
    f.optional("grad_clip_norm", grad_clip_norm, config::kPositive,
               "Upper bound on the global gradient norm.");
    f.optional("lr_mults", lr_mults,
               "Learning-rate multipliers by path. 1 where no pattern matches.");
    f.optional("wd", wd, config::kNotNegative, "Weight decay, multiplied by the schedule.");
    f.optional("wd_mults", wd_mults, "Multipliers of `wd` by path. 0 where no pattern matches.");
    f.required("schedules", schedules, config::kNonEmpty,
               "Schedules by parameter path. Every parameter must match one.");
  }
  /// Throws invalid_argument for parameters without a schedule, and for patterns that decide about
  /// nothing.
  LearnerGroup group(const RunLength& run, const ParamSpecs& params) const;
};

}  // namespace meshwright::optim
