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

StepOptions step_options(const TrainConfig& config) {
  StepOptions out{.num_microbatches = config.num_microbatches};
  if (config.train_dtype) out.train_dtype = find_dtype(*config.train_dtype);
  out.non_finite =
      config.non_finite.action == OnNonFinite::skip ? NonFinite::skip : NonFinite::halt;
  out.microbatch_clip_norm = config.microbatch_clip_norm;
  for (const TrainDTypeRule& rule : config.train_dtype_rules)
    out.train_dtype_rules.push_back(
        {Regex(rule.pattern), rule.dtype ? find_dtype(*rule.dtype) : std::nullopt});
  for (const ParamNoiseConfig& rule : config.param_noise)
    out.param_noise.push_back({Regex(rule.pattern), rule.stddev});
  return out;
}

}  // namespace meshwright::train
