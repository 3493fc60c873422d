// SPDX-License-Identifier: Apache-2.0
#include "key_case.h"
#include "programs.h"
#include "small_configs.h"

namespace meshwright::config_keys {

Cases learner_cases() {
  const std::string groups =
      "learner.groups={ name = { optimizer = { type = \"sgd\", learning_rate = 1.0 } } }";
  const std::string rules =
      "learner.rules=[{ params = '.*embed.*', group = 'name' }, "
      "{ params = '.*', group = 'default' }]";
  const std::string update_rules =
      "learner.update_rules=[{ params = '.*embed.*', update = 'no_update' }]";
  const std::string ema = "learner.ema={ decay = 0.5 }";
  return {
      {"learner",
       kLm,
       {},
       step_program,
       {{"update_rules", "[{ params = '.*embed.*', update = 'no_update' }]"},
        {"ema", "{}"},
        {"groups",
         "{ name = { optimizer = { type = 'sgd', learning_rate = 0.5 } } }",
         {groups, rules}},
        {"rules", "[{ params = '.*', group = 'name' }]", {groups, rules}},
        {"per_variable_rms", "true"},
        {"grad_norms_of", "['layers']"}}},
      {"learner.update_rules.0",
       kLm,
       {update_rules},
       step_program,
       {{"params", ".*mlp.*"}, {"update", "all_updates"}}},
      {"learner.ema",
       kLm,
       {ema},
       step_program,
       {{"decay", "0.25"},
        {"starts_with_params", "true", {}, init_program},
        {"bias_correction", "true"}}},
      {"learner.groups.NAME",
       kLm,
       {groups, rules},
       step_program,
       {{"optimizer", "{ type = 'adamw', learning_rate = 1.0 }"},
        {"update_rules", "[{ params = '.*', update = 'no_update' }]"}}},
      {"learner.rules.0",
       kLm,
       {groups, rules},
       step_program,
       {{"params", ".*mlp.*"}, {"group", "default"}}},
  };
}

}  // namespace meshwright::config_keys
