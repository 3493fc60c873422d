// SPDX-License-Identifier: Apache-2.0
// Transforms that multiply updates.
#pragma once

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Times a number.
Transform scale(double factor);

struct LearningRateOptions {
  /// What the schedule is given for the first update: 1 as in AXLearn, where steps are numbered as
  /// in logs and checkpoints; 0 as in optax, T5X, Big Vision and seqax.
  int first_step = 1;
  bool negate = true;  // the parameters go against the gradient
};
/// Times the negated learning rate. Summaries: learning_rate, lr_schedule_step.
Transform scale_by_learning_rate(Schedule learning_rate, const LearningRateOptions& options = {});

/// Times a schedule. Summaries: NAME/schedule_step, NAME/schedule_scale.
Transform scale_by_schedule(Schedule schedule, int first_step = 1, std::string name = "schedule");

/// Each parameter's update times the schedule of the first pattern that matches it; as it is where
/// none does. Summaries: global_schedule, of several global_schedule0, global_schedule1, ...
Transform scale_by_schedules(PathRules<Schedule> schedules, int first_step = 0);

/// Each parameter's update times its own number, 1 where no pattern matches. A factor of 0 leaves a
/// parameter where it is, but its slots go on; see UpdateType::no_update for freezing it.
Transform scale_per_param(PathRules<double> factors);

/// Times the root mean square of the parameter, at least min_scale.
Transform scale_by_param_rms(double min_scale = 1e-3, Block block = Block::layer);

struct TrustRatioOptions {
  double min_norm = 0;
  double trust_coefficient = 1;
  double eps = 0;
  Block block = Block::layer;
};
/// Times the norm of the parameter over that of its update; 1 where one of them is 0.
Transform scale_by_trust_ratio(const TrustRatioOptions& options = {});

}  // namespace meshwright::optim
