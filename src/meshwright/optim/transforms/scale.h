// SPDX-License-Identifier: Apache-2.0
// Transforms that multiply updates.
#pragma once

#include "meshwright/optim/schedules/schedule.h"
#include "meshwright/optim/transforms/path_rules.h"
#include "meshwright/optim/transforms/per_param.h"
#include "meshwright/optim/transforms/transform.h"

namespace meshwright::optim {

/// Multiplies updates by a number.
Transform scale(double factor);

struct LearningRateOptions {
  /// The step passed to the schedule for the first update: 1 in AXLearn; 0 in optax, T5X, Big
  /// Vision and seqax.
  int first_step = 1;
  bool negate = true;  // descend
};
/// Multiplies updates by the negated learning rate. Summaries: learning_rate, lr_schedule_step.
Transform scale_by_learning_rate(Schedule learning_rate, const LearningRateOptions& options = {});

/// Multiplies updates by a schedule. Summaries: NAME/schedule_step, NAME/schedule_scale.
Transform scale_by_schedule(Schedule schedule, int first_step = 1, std::string name = "schedule");

/// Multiplies each update by the schedule of the first pattern that matches its path. Summaries:
/// global_schedule, or global_schedule0, global_schedule1, ... for several schedules; and
/// learning_rate: the first one times `lr`, by which the caller multiplies as well. The first
/// update has step 0.
Transform scale_by_schedules(PathRules<Schedule> schedules, double lr);

/// Multiplies each update by the factor of the first pattern that matches its path, or by 1 if no
/// pattern matches. With a factor of 0, the parameter stops changing but its slots do not;
/// UpdateType::no_update freezes both.
Transform scale_per_param(PathRules<double> factors);

/// Multiplies each update by the RMS of its parameter, or by min_scale if that is larger.
Transform scale_by_param_rms(double min_scale = 1e-3, Block block = Block::layer);

struct TrustRatioOptions {
  double min_norm = 0;
  double trust_coefficient = 1;
  double eps = 0;
  Block block = Block::layer;
};
/// Multiplies each update by the ratio of the parameter's norm to the update's norm, or by 1 if
/// either norm is 0.
Transform scale_by_trust_ratio(const TrustRatioOptions& options = {});

}  // namespace meshwright::optim
