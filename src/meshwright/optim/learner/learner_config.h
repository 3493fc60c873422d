// SPDX-License-Identifier: Apache-2.0
// The tables [optimizer] and [learner] of a config.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/fields.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/learner/learner_rules.h"
#include "meshwright/optim/learner/optimizer_config.h"

namespace meshwright::optim {

struct GroupConfig {
  OptimizerConfig optimizer;
  std::vector<UpdateRule> update_rules;

  void fields(auto& f) {
    f.required("optimizer", optimizer, "Optimizer of this group.");
    f.optional("update_rules", update_rules,
               "Which updates apply to which parameters. Default: all_updates.");
  }
};

struct LearnerConfig {
  std::vector<UpdateRule> update_rules;
  std::optional<EmaOptions> ema;
  std::map<std::string, GroupConfig> groups;
  std::vector<GroupRule> rules;
  VariableSummaries variable_summaries;

  void fields(auto& f) {
    f.optional("update_rules", update_rules,
               "Which updates apply to which parameters of [optimizer]. Default: all_updates.");
    f.optional("ema", ema, "Moving average of the parameters, for evaluation.");
    f.optional("groups", groups, "Additional optimizers. [optimizer] is the group 'default'.");
    f.optional("rules", rules,
               "Rules that assign each parameter to a group. Every parameter must match one.");
    variable_summaries.fields(f);
  }
};

/// Returns the options of a learner for these parameters. Throws invalid_argument for invalid
/// settings; the Learner checks the group names.
LearnerOptions learner_options(const OptimizerConfig& optimizer,
                               const LearnerConfig& learner,
                               const RunLength& run,
                               const ParamSpecs& params);
/// True if schedules depend on the total number of steps because an `end` is not set or a duration
/// is a percentage.
bool depends_on_total_steps(const OptimizerConfig& optimizer,
                            const LearnerConfig& learner,
                            RunLength run,
                            const ParamSpecs& params);

}  // namespace meshwright::optim

namespace meshwright::config {
extern template const Type& type_of<optim::LearnerConfig>();
}
