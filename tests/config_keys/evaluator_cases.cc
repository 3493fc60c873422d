// SPDX-License-Identifier: Apache-2.0
#include "agenda_events.h"
#include "key_case.h"
#include "programs.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {

Cases evaluator_cases() {
  const std::vector<std::string> matches = {"max_step=1", "evaluators.name.method=exact_match"};
  const std::string outputs = "evaluators.name.outputs={}";
  return {
      {"evaluators.NAME",
       kLm,
       {"max_step=1", "evaluators.name.when={ type = \"at_last\" }"},
       evaluation,
       {{"method", "exact_match"},
        // With one digit the held-out examples fill only one batch.
        {"num_batches", "1", {"data.num_digits=2", "evaluators.name.data.num_digits=2"}},
        {"use_ema", "false", {"learner.ema={ decay = 0.5 }"}},
        {"dtype", "bf16", {}, eval_program},
        {"num_shown", "2", matches, messages},
        {"outputs", "{}", matches, files},
        {"trace_batches", "[0]", {}, files},
        {"when", "{ type = 'every_n', n = 7 }", {"max_step=40"}, events},
        {"data", "{ type = 'arithmetic', batch_size = 4, num_digits = 1 }", {}, eval_batches}}},
      {"evaluators.NAME.outputs",
       kLm,
       {"max_step=1", "evaluators.name.when={ type = \"at_last\" }",
        "evaluators.name.method=exact_match", outputs},
       eval_outputs,
       {{"arrays", "batch/.*"}, {"num_examples", "1"}}},
  };
}

}  // namespace meshwright::config_keys
