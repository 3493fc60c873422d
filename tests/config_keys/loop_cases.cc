// SPDX-License-Identifier: Apache-2.0
// When a run logs, evaluates, saves and traces.
#include "agenda_events.h"
#include "key_case.h"
#include "runs.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

SectionCases trace() {
  return {"trace",
          kLm,
          {"trace.start_steps=[2]"},
          events,
          {{"start_steps", "[3]"},
           {"num_steps", "2"},
           {"from_start", "true", {}, events_from_step_5},
           {"processes", "[1]", {"max_step=6"}, files}}};
}

SectionCases early_stopping() {
  return {"early_stopping",
          kLm,
          {"early_stopping={ evaluator = 'name', metric = 'accuracy' }",
           "evaluators.name.when={ type = \"every_n\", n = 2 }"},
          events,
          {{"evaluator", "other"},
           {"metric", "loss"},
           {"mode", "min"},
           {"patience", "5"},
           {"atol", "0.11"},
           {"rtol", "0.5"}}};
}

SectionCases preset() {
  return {"preset",
          kLm,
          // Sets none of the keys that a preset determines.
          {"preset={ name = 't5x', log = 5, save = 6, eval = 7 }", "log=auto",
           "checkpoint.when=auto", "evaluators.name.when=auto"},
          events,
          {{"name", "big_vision"},
           {"log", "6"},
           {"save", "7"},
           {"keep", "9", {"preset.name=big_vision"}},
           {"eval", "8"}}};
}

}  // namespace

Cases loop_cases() {
  return {trace(),
          early_stopping(),
          {"order",
           kLm,
           {"log={ type = \"every_n\", n = 1 }"},
           events,
           {{"boundary", "['save', 'log', 'eval', 'stop']"},
            {"start", "['stop']", {"evaluators.name.when={ type = \"at_start\" }"}}}},
          preset()};
}

}  // namespace meshwright::config_keys
