// SPDX-License-Identifier: Apache-2.0
// The table [optimizer] of a config.
#pragma once

#include <variant>
#include <vector>

#include "meshwright/config/type_of.h"
#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/optim/learner/learner.h"
#include "meshwright/optim/learner/learner_rules.h"
#include "meshwright/optim/optimizers/all_optimizers.h"

namespace meshwright::optim {

template <typename... Tables>
std::variant<Tables..., BigVisionOptions> with_big_vision(const std::variant<Tables...>&);

using OptimizerChoice = decltype(with_big_vision(AnyOptimizerTable()));
struct OptimizerConfig : OptimizerChoice {
  using OptimizerChoice::OptimizerChoice;
};

/// Returns the optimizer as an unnamed learner group: a chain that consists of clipping (which only
/// reports the norm unless a limit is set), the optimizer and learning_rate_rules. Among the
/// settings around the optimizer, only `skip` changes slot names. Big Vision's optimizer is a
/// complete chain with its own rules for frozen parameters. Throws invalid_argument for invalid
/// settings.
LearnerGroup make_group(const OptimizerConfig& optimizer,
                        const std::vector<UpdateRule>& rules,
                        const RunLength& run,
                        const ParamSpecs& params);

}  // namespace meshwright::optim

namespace meshwright::config {
extern template const Type& type_of<optim::OptimizerConfig>();
}
