// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner_config.h"

#include "meshwright/base/check.h"

namespace meshwright::optim {
namespace {

EmaOptions ema_options(const EmaConfig& config, const RunLength& run) {
  EmaOptions out{.decay = make_schedule(config.decay, run),
                 .starts_with_params = config.starts_with_params};
  if (!config.bias_correction) return out;
  const double* decay = std::get_if<double>(&config.decay);
  MW_CHECK(decay != nullptr, "learner.ema: bias_correction wants a number as decay");
  MW_CHECK(!config.starts_with_params,
           "learner.ema: averages that start with the parameters need no bias_correction");
  out.decay = decay_bias_correction(*decay);
  return out;
}

}  // namespace

LearnerOptions learner_options(const OptimizerConfig& optimizer,
                               const LearnerConfig& learner,
                               const RunLength& run) {
  LearnerOptions out;
  out.groups.push_back({.name = "default",
                        .optimizer = make_optimizer(optimizer, run),
                        .update_rules = update_rules(learner.update_rules)});
  for (const auto& [name, group] : learner.groups) {
    out.groups.push_back({.name = name,
                          .optimizer = make_optimizer(group.optimizer, run),
                          .update_rules = update_rules(group.update_rules)});
  }
  out.group_rules = group_rules(learner.rules);
  if (learner.ema) out.ema = ema_options(*learner.ema, run);
  out.variable_summaries = {.rms = learner.per_variable_rms, .grad_norms = learner.grad_norms_of};
  return out;
}

}  // namespace meshwright::optim
