// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/programs.h"

#include "meshwright/base/str.h"

namespace meshwright::train {

nn::InitRules init_rules(const TrainConfig& config) {
  nn::InitRules out;
  for (const InitialValuesConfig& rule : config.initial_values)
    out.push_back({Regex(rule.pattern), nn::init_of(rule.init)});
  return out;
}

std::vector<std::string> init_warnings(const nn::InitRules& rules, const ParamSpecs& params) {
  std::vector<std::string> out;
  for (const Regex& pattern : nn::unused_rules(rules, params))
    out.push_back(str("initial_values: pattern ", pattern, " matches no parameter"));
  return out;
}

TrainingSetup setup_of(const Job& job) {
  return {*job.task, job.learner, job.placement, init_rules(job.config)};
}

}  // namespace meshwright::train
