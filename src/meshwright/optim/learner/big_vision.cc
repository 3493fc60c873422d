// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/big_vision.h"

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

using ScheduleRules = std::vector<std::pair<std::string, std::optional<Schedule>>>;

void check_all_have_schedules(const ScheduleRules& schedules, const ParamSpecs& params) {
  std::vector<std::pair<std::string, bool>> patterns;
  for (const auto& [pattern, schedule] : schedules)
    patterns.emplace_back(pattern, true);
  PathRules<bool> rules(patterns);
  std::vector<std::string> missing;
  for_each(params, [&](const std::string& path, const ParamSpec&) {
    if (rules.find(path) == nullptr) missing.push_back(path);
  });
  MW_CHECK(missing.empty(),
           "big_vision: no schedule is for these parameters: ", join(missing, ", "),
           "\nGive them one, or freeze them.");
}

// The first pattern that matches decides, whether it freezes or not.
PathRules<UpdateType> freezing_rules(const ScheduleRules& schedules) {
  std::vector<std::pair<std::string, UpdateType>> out;
  for (const auto& [pattern, schedule] : schedules)
    out.emplace_back(pattern, schedule ? UpdateType::optimizers : UpdateType::no_update);
  return PathRules<UpdateType>(out);
}

PathRules<Schedule> moving_rules(const ScheduleRules& schedules) {
  std::vector<std::pair<std::string, Schedule>> out;
  for (const auto& [pattern, schedule] : schedules) {
    if (schedule) out.emplace_back(pattern, *schedule);
  }
  return PathRules<Schedule>(out);
}

}  // namespace

LearnerGroup big_vision_learner(const BigVisionOptions& o, const ParamSpecs& params) {
  check_all_have_schedules(o.schedules, params);
  for (const auto& rule : o.lr_mults.rules()) {
    MW_CHECK(rule.value > 0, "big_vision: lr_mults gives ", rule.value, " for ", rule.pattern,
             "\nTo freeze parameters give them no schedule.");
  }
  std::vector<Transform> parts;
  if (o.grad_clip_norm) {
    parts.push_back(clip_by_global_norm({.max_norm = o.grad_clip_norm, .eps = 0}));
  }
  parts.push_back(o.scaling);
  parts.push_back(scale(o.lr));
  if (!o.lr_mults.empty()) parts.push_back(scale_per_param(o.lr_mults));
  if (o.wd != 0) {
    DecayScales scales{.rules = o.wd_mults, .otherwise = 0, .use_declared = false};
    parts.push_back(add_decayed_weights({.weight_decay = o.wd, .scales = scales}));
  }
  parts.push_back(scale_by_schedules(moving_rules(o.schedules)));
  parts.push_back(scale(-1));
  return {.name = "",
          .optimizer = chain(std::move(parts), "big_vision"),
          .update_rules = freezing_rules(o.schedules)};
}

}  // namespace meshwright::optim
