// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/optimizer_config.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

Transform framed(const OptimizerFrame& frame, Transform optimizer) {
  Transform scaled = scale_per_param(scale_rules(frame.learning_rate_rules));
  if (frame.skip) {
    return skip_and_clip(chain({std::move(optimizer), std::move(scaled)}), frame.clip, *frame.skip);
  }
  return chain({clip_by_global_norm(frame.clip), std::move(optimizer), std::move(scaled)});
}

}  // namespace

LearnerGroup make_group(const OptimizerConfig& optimizer,
                        const std::vector<UpdateRule>& rules,
                        const RunLength& run,
                        const ParamSpecs& params) {
  if (const auto* big_vision = std::get_if<BigVisionOptions>(&optimizer)) {
    MW_CHECK(rules.empty(), "optimizer big_vision: its schedules decide which parameters are ",
             "frozen; update_rules are for other optimizers");
    check_all_rules_used(*big_vision, params);
    return big_vision_learner(*big_vision, params, run);
  }
  auto make = [&](const auto& table) -> Transform {
    if constexpr (requires { table.frame; }) return framed(table.frame, table.make(run));
    fail(ErrorCode::internal, "optimizer: a table without a chain");
  };
  return {.name = "",
          .optimizer = std::visit(make, static_cast<const OptimizerChoice&>(optimizer)),
          .update_rules = path_rules(rules, &UpdateRule::update)};
}

}  // namespace meshwright::optim
