// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {

Cases init_state_cases() {
  const std::string from = "init_state={ from = \"other\" }";
  const std::string shorter = "task.model.max_len=8";
  return {
      {"init_state",
       kLearnedPositions,
       {from},
       built_state,
       {{"from", "elsewhere"},
        {"step", "1"},
        {"all", "true"},
        {"use_ema", "true"},
        {"layout", "of_nobody"},
        {"scopes", "{ 'decoder/layers' = 'decoder/layers' }"},
        {"names", "[{ params = '.*position.*', from = 'none' }]"},
        {"positions", "[{ params = '.*position.*', strategy = 'truncate' }]", {shorter}},
        {"may_lack", "true", {"task.model.tied_embedding=false"}}}},
      {"init_state.names.0",
       kLearnedPositions,
       {from, "init_state.names=[{ params = '.*position.*', from = 'none' }]"},
       built_state,
       {{"params", ".*mlp.*"}, {"from", "elsewhere"}}},
      {"init_state.positions.0",
       kLearnedPositions,
       {from, shorter, "init_state.positions=[{ params = '.*position.*', strategy = 'truncate' }]"},
       built_state,
       {{"params", ".*mlp.*"}, {"strategy", "truncate_left"}, {"strategy", "keep_target"}}},
      // From 2 by 2 patches to 3 by 3.
      {"init_state.positions.0",
       kVit,
       {"init_state={ from = \"other_vit\" }", "data.size=12", "evaluators.name.data.size=12",
        "init_state.positions=[{ params = '.*position.*', strategy = 'interpolate_grid' }]"},
       built_state,
       {{"from_grid", "[1, 4]"}, {"grid", "[1, 9]"}}},
  };
}

}  // namespace meshwright::config_keys
