// SPDX-License-Identifier: Apache-2.0
#include "agenda_events.h"
#include "key_case.h"
#include "meshwright/base/str.h"
#include "small_configs.h"

namespace meshwright::config_keys {
namespace {

// Returns the section of a policy that determines when metrics are reported.
SectionCases policy(const std::string& type,
                    const std::string& settings,
                    std::vector<KeyCase> keys,
                    Observer observe = events) {
  return {str("log.0[", type, "]"),
          kLm,
          {str("log=[{ type = \"", type, "\"", settings, " }]")},
          observe,
          std::move(keys)};
}

// The metric exists only at the steps of the evaluator.
SectionCases best_metric() {
  SectionCases out = policy("best_metric", ", evaluator = 'name', metric = 'accuracy'",
                            {{"evaluator", "other"}, {"metric", "loss"}, {"mode", "min"}});
  out.with.emplace_back("evaluators.name.when={ type = \"every_n\", n = 2 }");
  // By default metrics are reported before the evaluation.
  out.with.emplace_back("order.boundary=['eval', 'log', 'save', 'stop']");
  return out;
}

}  // namespace

Cases policy_cases() {
  return {
      policy("every_n", ", n = 6",
             {{"n", "7"},
              {"min_step", "10"},
              {"from_start", "true", {}, events_from_step_5},
              {"and_last", "true"},
              {"except_last", "true", {"log.0.n=5"}}}),
      policy("every", ", duration = '10%'",
             {{"duration", "'20%'"}, {"and_last", "false", {"log.0.duration=7"}}}),
      policy("its_time", ", n = 6",
             {{"n", "7"}, {"first", "false"}, {"last", "false"}, {"drop_close_to_last", "0.9"}}),
      policy("first_steps", ", count = 3",
             {{"count", "4"}, {"from_start", "true", {}, events_from_step_5}}),
      policy("at_steps", ", steps = [3]", {{"steps", "[4]"}}),
      policy("at_start", "",
             {{"fresh", "false"},
              {"resumed", "true", {}, events_from_step_5},
              {"finished", "true", {}, events_at_end}}),
      policy("every_seconds", ", seconds = 60", {{"seconds", "90"}}),
      best_metric(),
  };
}

}  // namespace meshwright::config_keys
