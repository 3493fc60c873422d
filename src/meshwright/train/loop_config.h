// SPDX-License-Identifier: Apache-2.0
// Settings of the agenda: which actions a boundary has, in which order, and when each is due.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/train/policy.h"

namespace meshwright::train {

/// The actions of a boundary. `stop` ends the run if there is a reason to, so that the last
/// boundary skips the actions after it.
enum class Action { stop_trace, log, eval, save, stop, start_trace };
std::string action_name(Action action);
config::Choices<Action> config_choices(Action);

enum class Everyone { all };
inline config::Choices<Everyone> config_choices(Everyone) {
  return {{"all", Everyone::all}};
}
/// Numbers of processes.
using Processes = std::variant<std::vector<std::int64_t>, Everyone>;
bool contains(const Processes& processes, std::int64_t process);

struct TraceConfig {
  std::vector<std::int64_t> start_steps;  // the first update traced is the one after this step
  std::int64_t num_steps = 3;
  bool from_start = false;  // count from where this run of the program began
  Processes processes = std::vector<std::int64_t>{0};

  void fields(auto& f) {
    f.optional("start_steps", start_steps, config::kNotNegative, "begin a trace after these steps");
    f.optional("num_steps", num_steps, config::between(1, 1e9), "length of each trace")
        .unit("steps");
    f.optional("from_start", from_start, "count from the step at which this process began");
    f.optional("processes", processes, "that trace, by number, or \"all\"");
  }
};

/// Ends training when a metric has not become better for `patience` evaluations (T5X).
struct EarlyStopping {
  std::string evaluator;
  std::string metric;
  Better mode = Better::max;
  std::int64_t patience = 3;
  double atol = 0;  // what counts as better must be so by more than atol + rtol * |best|
  double rtol = 0;

  void fields(auto& f) {
    f.required("evaluator", evaluator, config::kNonEmpty, "whose result counts");
    f.required("metric", metric, config::kNonEmpty, "which result counts");
    f.optional("mode", mode, "which values are better");
    f.optional("patience", patience, config::kPositive, "evaluations without a better value");
    f.optional("atol", atol, config::kNotNegative, "better means by more than this");
    f.optional("rtol", rtol, config::kNotNegative, "and this part of the best value");
  }
};

/// What is done at a boundary, one after the other.
struct OrderConfig {
  std::optional<std::vector<Action>> boundary;  // absent: as the preset has it
  std::optional<std::vector<Action>> start;     // before the first update; absent: as the others

  void fields(auto& f) {
    f.optional("boundary", boundary, "what is done between updates, one after the other");
    f.optional("start", start, "the same before the first update; none: as the others");
  }
};

struct LoopConfig {
  config::OrAuto<When> log;
  config::OrAuto<When> summaries;  // beside those of `log`
  TraceConfig trace;
  std::optional<EarlyStopping> early_stopping;
  OrderConfig order;

  void fields(auto& f) {
    f.optional("log", log,
               "at which steps metrics are told; auto: as the preset, or every 100 and the last");
    f.optional("summaries", summaries,
               "at which steps metrics are told to files only; auto: as the preset, or at none");
    f.optional("trace", trace, "files of what the host did, step by step");
    f.optional("early_stopping", early_stopping, "end where a result gets no better");
    f.optional("order", order, "order of work");
  }
};

}  // namespace meshwright::train
