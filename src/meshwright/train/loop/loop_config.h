// SPDX-License-Identifier: Apache-2.0
// Settings of the agenda: the actions of a boundary, their order, and when each is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/train/loop/policy.h"

namespace meshwright::train {

/// The actions of a boundary. `stop` ends the run if there is a reason to, so the last boundary
/// skips the actions after `stop`.
enum class Action { stop_trace, log, eval, save, stop, start_trace };
std::string action_name(Action action);
config::Choices<Action> config_choices(Action);

enum class Everyone { all };
inline config::Choices<Everyone> config_choices(Everyone) {
  return {{"all", Everyone::all}};
}
using Processes = std::variant<std::vector<std::int64_t>, Everyone>;
/// True if `processes` includes this process number.
bool contains(const Processes& processes, std::int64_t process);

struct TraceConfig {
  std::vector<std::int64_t> start_steps;  // the first traced update is the one after this step
  config::OrAuto<std::int64_t> num_steps;
  config::OrAuto<bool> from_start;  // count from the step at which this process began
  Processes processes = std::vector<std::int64_t>{0};

  void fields(auto& f) {
    f.optional("start_steps", start_steps, config::kNotNegative,
               "Steps after which to start a trace. If empty, those of the preset, if any.");
    f.optional("num_steps", num_steps, config::between(1, 1e9),
               "Length of each trace. `auto`: with the preset's start_steps as the preset says, "
               "otherwise 3.")
        .unit("steps");
    f.optional("from_start", from_start,
               "Count from the step at which this process began. `auto`: with the preset's "
               "start_steps as the preset says, otherwise false.");
    f.optional("processes", processes, "Indices of the processes to trace, or \"all\".");
  }
};

/// Ends training if a metric has not improved for `patience` evaluations (T5X).
struct EarlyStopping {
  std::string evaluator;
  std::string metric;
  Better mode = Better::max;
  std::int64_t patience = 3;
  double atol = 0;  // an improvement must exceed atol + rtol * |best|
  double rtol = 0;

  void fields(auto& f) {
    f.required("evaluator", evaluator, config::kNonEmpty, "Evaluator whose metric counts.");
    f.required("metric", metric, config::kNonEmpty, "Metric that counts.");
    f.optional("mode", mode, "Whether larger or smaller values are better.");
    f.optional("patience", patience, config::kPositive,
               "Number of evaluations without improvement after which to stop.");
    f.optional("atol", atol, config::kNotNegative, "An improvement must exceed this amount.");
    f.optional("rtol", rtol, config::kNotNegative,
               "An improvement must also exceed this fraction of the best value.");
  }
};

/// Order of the actions at a boundary.
struct OrderConfig {
  std::optional<std::vector<Action>> boundary;  // defaults to the preset's
  std::optional<std::vector<Action>> start;     // before the first update; defaults to `boundary`

  void fields(auto& f) {
    f.optional("boundary", boundary, "Actions between updates, in order.");
    f.optional("start", start, "Actions before the first update. `none`: same as `boundary`.");
  }
};

struct LoopConfig {
  config::OrAuto<When> log;
  config::OrAuto<When> summaries;  // in addition to those of `log`
  TraceConfig trace;
  std::optional<EarlyStopping> early_stopping;
  OrderConfig order;

  void fields(auto& f) {
    f.optional("log", log,
               "When to report metrics. `auto`: as the preset says, otherwise every 100 steps and "
               "at the last.");
    f.optional("summaries", summaries,
               "When to write metrics to files only. `auto`: as the preset says, otherwise never.");
    f.optional("trace", trace, "Traces of the host's activity during selected steps.");
    f.optional("early_stopping", early_stopping, "Stop when a metric no longer improves.");
    f.optional("order", order, "Order of the actions between updates.");
  }
};

}  // namespace meshwright::train
