// SPDX-License-Identifier: Apache-2.0
// Big Vision's optimizer: a chain around one of several ways to scale gradients, with per-parameter
// schedules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/optimizers/big_vision_scaling.h"
#include "meshwright/optim/schedules/schedule_config.h"
#include "meshwright/optim/transforms/scale_rule.h"

namespace meshwright::optim {

struct BigVisionScheduleRule {
  std::string params;
  std::optional<ScheduleConfig> schedule;

  void fields(auto& f) {
    f.required("params", params, config::kNonEmpty, "Pattern that must match the whole path.");
    f.required("schedule", schedule, config::kNotNegative,
               "Schedule of the learning rate and weight decay. `none`: freeze these parameters.");
  }
};

struct BigVisionOptions {
  static constexpr char kType[] = "big_vision";
  BigVisionScaling scaling = {};
  double lr = 0;
  std::optional<double> grad_clip_norm = {};
  std::vector<ScaleRule> lr_mults = {};  // not applied to the weight decay
  double wd = 0;                         // not multiplied by lr
  std::vector<ScaleRule> wd_mults = {{".*/kernel$", 1}};
  std::vector<BigVisionScheduleRule> schedules = {};

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
};

/// Returns the chain and the rules that freeze parameters. Throws invalid_argument if an lr_mult is
/// not positive, or if a parameter matches no schedule.
LearnerGroup big_vision_learner(const BigVisionOptions& options,
                                const ParamSpecs& params,
                                const RunLength& run = {});

/// Throws invalid_argument if a pattern of lr_mults or wd_mults matches no parameter. Ignores
/// wd_mults if wd is 0.
void check_all_rules_used(const BigVisionOptions& options, const ParamSpecs& params);

}  // namespace meshwright::optim
