// SPDX-License-Identifier: Apache-2.0
// Top-level keys, and those that monitor a run.
#include "agenda_events.h"
#include "key_case.h"
#include "programs.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

const std::vector<std::string> kShort = {"max_step=2"};

SectionCases top() {
  return {"",
          kLm,
          {},
          step_program,
          {{"preset", "{ name = 't5x' }", {"log=auto"}, events},
           {"dir", "elsewhere", kShort, files},
           {"seed", "1", {}, batches},
           {"seed", "1", {"max_step=1", "evaluators.name.when={ type = \"at_last\" }"}, evaluation},
           {"max_step", "20", {}, events},
           {"evaluators",
            "{ other = { method = 'loss', data = { type = 'held_out_arithmetic', "
            "batch_size = 4, num_digits = 1 } } }",
            {},
            events},
           {"log", "{ type = 'every_n', n = 5 }", {}, events},
           {"summaries", "{ type = 'every_n', n = 5 }", {}, events},
           {"early_stopping",
            "{ evaluator = 'name', metric = 'accuracy' }",
            {"evaluators.name.when={ type = \"every_n\", n = 2 }"},
            events},
           {"num_microbatches", "2"},
           {"microbatch_clip_norm", "1.0"},
           {"train_dtype", "bf16"},
           {"train_dtype_rules", "[{ pattern = '.*', dtype = 'f32' }]", {"train_dtype=bf16"}},
           {"initial_values",
            "[{ pattern = '.*', init = { type = 'constant', value = 0.5 } }]",
            {},
            init_program},
           {"param_noise", "[{ pattern = '.*', stddev = 0.5 }]"},
           {"sinks", "[{ type = 'jsonl' }]", kShort, files},
           {"log_prefix", "true", kShort, messages},
           {"verbosity", "1", kShort, messages},
           {"verbosity", "2", {"max_step=2", "verbosity=1"}, messages},
           {"verbosity", "3", {"max_step=2", "verbosity=2"}, messages},
           {"peak_flops", "1e12", kShort, description_of_work},
           {"init_state", "{ from = 'run' }", {}, built_state},
           {"kernels", "xla"}}};
}

SectionCases train_dtype_rule() {
  return {"train_dtype_rules.0",
          kLm,
          {"train_dtype=bf16", "train_dtype_rules=[{ pattern = '.*', dtype = 'f32' }]"},
          step_program,
          {{"pattern", ".*embed.*"}, {"dtype", "bf16"}}};
}

SectionCases param_noise() {
  return {"param_noise.0",
          kLm,
          {"param_noise=[{ pattern = '.*', stddev = 0.5 }]"},
          step_program,
          {{"pattern", ".*embed.*"}, {"stddev", "0.25"}}};
}

// An update with parameters that are not finite.
SectionCases non_finite() {
  const std::string skip = "non_finite.action=skip";
  return {"non_finite",
          kLm,
          {"max_step=4",
           "initial_values=[{ pattern = '.*', init = { type = 'constant', "
           "value = 1e38 } }]"},
          outcome,
          {{"action", "skip"}, {"max_times", "2", {skip}}, {"explain", "false"}}};
}

SectionCases prefetching() {
  return {"prefetch",
          kLm,
          {"max_step=2"},
          makers_of_batches,
          {{"threads", "2"},
           observed_by("depth", "Prefetcher.MakesNoMoreThanItsDepthAhead"),
           observed_by("timeout_seconds", "RunFailuresTest.AHungInputIsToldAndEndsTheRun"),
           {"resume", "false", {}, resumption},
           observed_by("allow_other_data", "ResumeTest.OtherDataIsTakenOnlyIfAllowed")}};
}

}  // namespace

Cases run_cases() {
  return {
      top(),
      train_dtype_rule(),
      param_noise(),
      non_finite(),
      prefetching(),
      {"sdc_check",
       kLm,
       {},
       nullptr,
       {observed_by("every_n_steps", "train_test.py: test_updates_may_be_computed_twice"),
        observed_by("action", "UpdateCheckTest.EndsTheRunIfAsked")}},
      {"watchdog",
       kLm,
       {},
       nullptr,
       {observed_by("timeout_seconds", "RunFailuresTest.ARequestToStopIsServedWhileTheInputHangs"),
        observed_by("crash_on_hang", "HangDeathTest.EndsTheProcessToBeTriedAgain")}}};
}

}  // namespace meshwright::config_keys
