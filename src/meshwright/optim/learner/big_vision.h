// SPDX-License-Identifier: Apache-2.0
// Big Vision's way to put an optimizer together.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

struct BigVisionOptions {
  Transform scaling;  // scale_by_adam(), scale_by_big_vision_adafactor(), momentum(), ...
  double lr = 0;
  std::optional<double> grad_clip_norm = {};
  /// Multipliers of the learning rate, not of the decay; 1 where no pattern matches.
  PathRules<double> lr_mults = {};
  double wd = 0;  // times the schedule, not times lr
  PathRules<double> wd_mults = {{".*/kernel$", 1.0}};
  /// Pattern to schedule; nothing: these parameters are frozen. Every parameter must match.
  std::vector<std::pair<std::string, std::optional<Schedule>>> schedules = {};
};
/// The chain with the rules that freeze parameters. Throws invalid_argument for an lr_mult that is
/// not positive, and with the parameters that no schedule is for.
LearnerGroup big_vision_learner(const BigVisionOptions& options, const ParamSpecs& params);

}  // namespace meshwright::optim
