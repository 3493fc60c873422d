// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner_config.h"

#include "meshwright/base/check.h"

namespace meshwright::optim {
namespace {

EmaOptions ema_options(const EmaConfig& config, const RunLength& run) {
  EmaOptions out{.decay = make_schedule(config.decay, run),
                 .starts_with_params = config.starts_with_params};
  if (!config.bias_correction) return out;
  const double* decay = std::get_if<double>(&config.decay);
  MW_CHECK(decay != nullptr, "learner.ema: bias_correction requires a constant decay rate");
  MW_CHECK(!config.starts_with_params,
           "learner.ema: bias_correction applies to averages that start with zeros only");
  out.decay = decay_bias_correction(*decay);
  return out;
}

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
  if (learner.ema) out.ema = ema_options(*learner.ema, run);
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
