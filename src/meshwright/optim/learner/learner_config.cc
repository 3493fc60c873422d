// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner_config.h"

#include "meshwright/base/error.h"

namespace meshwright::optim {
namespace {

// Returns the parameters of a group, or all parameters if there are no rules.
ParamSpecs params_of(const std::string& group,
                     const PathRules<std::string>& rules,
                     const ParamSpecs& params) {
  if (rules.empty()) return params;
  ParamSpecs out;
  for_each(params, [&](const std::string& path, const ParamSpec& spec) {
    const std::string* found = rules.find(path);
    if (found != nullptr && *found == group) out[path] = spec;
  });
  return out;
}

}  // namespace

LearnerOptions learner_options(const OptimizerConfig& optimizer,
                               const LearnerConfig& learner,
                               const RunLength& run,
                               const ParamSpecs& params) {
  const PathRules<std::string> rules = path_rules(learner.rules, &GroupRule::group);
  auto make = [&](const std::string& name, const OptimizerConfig& config,
                  const std::vector<UpdateRule>& update_rules_of_group) {
    LearnerGroup group =
        make_group(config, update_rules_of_group, run, params_of(name, rules, params));
    group.name = name;
    return group;
  };
  LearnerOptions out;
  out.groups.push_back(make("default", optimizer, learner.update_rules));
  for (const auto& [name, group] : learner.groups)
    out.groups.push_back(make(name, group.optimizer, group.update_rules));
  out.group_rules = rules;
  out.ema = learner.ema;
  out.run = run;
  if (out.ema) (void)ema_decay(*out.ema, run);  // throws if its settings are invalid
  out.variable_summaries = learner.variable_summaries;
  return out;
}

bool depends_on_total_steps(const OptimizerConfig& optimizer,
                            const LearnerConfig& learner,
                            RunLength run,
                            const ParamSpecs& params) {
  run.total_steps.reset();
  // Schedules that need the total number of steps throw without it.
  try {
    (void)learner_options(optimizer, learner, run, params);
    return false;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace meshwright::optim
