// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "meshwright/config/config.h"
#include "meshwright/optim/learner/learner_config.h"
#include "meshwright/optim/transforms/optim_testutil.h"

namespace meshwright::optim {

/// The tables of a config that describe a learner.
struct LearnerTables {
  OptimizerConfig optimizer;
  LearnerConfig learner;

  void fields(auto& f) {
    f.required("optimizer", optimizer, "for tests");
    f.optional("learner", learner, "for tests");
  }
};

inline const RunLength kTestRun{.total_steps = 1000, .batch_examples = 64};

/// Returns a learner for the parameters of example_specs(), configured by `toml`.
inline Learner learner_from(const std::string& toml) {
  LearnerTables tables = config::from_toml<LearnerTables>(toml);
  return Learner(learner_options(tables.optimizer, tables.learner, kTestRun, example_specs()),
                 example_specs());
}

}  // namespace meshwright::optim
