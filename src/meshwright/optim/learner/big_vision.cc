// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/big_vision.h"

#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

using ScheduleRules = std::vector<BigVisionScheduleRule>;

// The first matching pattern decides, whether it freezes a parameter or not.
PathRules<UpdateType> freezing_rules(const ScheduleRules& schedules) {
  std::vector<std::pair<std::string, UpdateType>> out;
  for (const BigVisionScheduleRule& rule : schedules)
    out.emplace_back(rule.params, rule.schedule ? UpdateType::optimizers : UpdateType::no_update);
  return PathRules<UpdateType>(out);
}

PathRules<Schedule> moving_rules(const ScheduleRules& schedules, const RunLength& run) {
  std::vector<std::pair<std::string, Schedule>> out;
  for (const BigVisionScheduleRule& rule : schedules) {
    if (rule.schedule) out.emplace_back(rule.params, make_schedule(*rule.schedule, run));
  }
  return PathRules<Schedule>(out);
}

void check_all_have_schedules(const ScheduleRules& schedules, const ParamSpecs& params) {
  const PathRules<UpdateType> rules = freezing_rules(schedules);
  std::vector<std::string> missing;
  for_each(params, [&](const std::string& path, const ParamSpec&) {
    if (rules.find(path) == nullptr) missing.push_back(path);
  });
  MW_CHECK(missing.empty(), "big_vision: these parameters match no schedule: ", join(missing, ", "),
           "\nAdd a schedule for them, or freeze them.");
}

void check_rules_used(const std::vector<ScaleRule>& rules,
                      const ParamSpecs& params,
                      std::string_view table) {
  std::vector<std::string> paths;
  for_each(params, [&](const std::string& path, const ParamSpec&) { paths.push_back(path); });
  const std::vector<std::string> unused = scale_rules(rules).unused(paths, table);
  MW_CHECK(unused.empty(), join(unused, "\n"), "\nParameters of this run have names such as ",
           paths.empty() ? "" : paths.front());
}

// Its chain has an element for clipping, for scaling and for the learning rate, and one for each
// rule.
std::vector<std::size_t> schedule_places(const BigVisionOptions& o) {
  const std::size_t first = 3 + o.lr_mults.size() + (o.wd == 0 ? 0 : o.wd_mults.size());
  std::vector<std::size_t> out;
  for (const BigVisionScheduleRule& rule : o.schedules)
    if (rule.schedule) out.push_back(first + out.size());
  return out;
}

}  // namespace

LearnerGroup big_vision_learner(const BigVisionOptions& o,
                                const ParamSpecs& params,
                                const RunLength& run) {
  check_all_have_schedules(o.schedules, params);
  for (const ScaleRule& rule : o.lr_mults) {
    MW_CHECK(rule.scale > 0, "big_vision: lr_mults must be positive, got ", rule.scale, " for '",
             rule.params, "'", "\nTo freeze parameters, set their schedule to none.");
  }
  std::vector<Transform> parts;
  if (o.grad_clip_norm)
    parts.push_back(clip_by_global_norm({.max_norm = o.grad_clip_norm, .eps = 0}));
  parts.push_back(make_scaling(o.scaling));
  parts.push_back(scale(o.lr));
  if (!o.lr_mults.empty()) parts.push_back(scale_per_param(scale_rules(o.lr_mults)));
  parts.push_back(add_decayed_weights(
      {.rate = o.wd, .rules = o.wd_mults, .otherwise = 0, .use_declared = false}));
  parts.push_back(scale_by_schedules(moving_rules(o.schedules, run), o.lr));
  parts.push_back(scale(-1));
  return {.name = "",
          .optimizer = chain(std::move(parts), "big_vision"),
          .update_rules = freezing_rules(o.schedules),
          .schedule_places = schedule_places(o)};
}

void check_all_rules_used(const BigVisionOptions& options, const ParamSpecs& params) {
  check_rules_used(options.lr_mults, params, "optimizer.lr_mults");
  if (options.wd != 0) check_rules_used(options.wd_mults, params, "optimizer.wd_mults");
}

}  // namespace meshwright::optim
