// SPDX-License-Identifier: Apache-2.0
// The order of work: updates, and at the boundaries between them a list of actions. It knows of no
// devices; what is done is handed to it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "meshwright/train/boundary.h"
#include "meshwright/train/policy.h"

namespace meshwright::train {

/// What a boundary consists of. `stop` ends the loop if there is a reason, so at the last boundary
/// nothing after it in the order is done.
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

/// What signals ask for.
struct Request {
  bool stop = false;
  bool save = false;  // once
};

/// What a loop runs. Only `update` is needed.
struct LoopHooks {
  /// Makes one update and gives the number of updates since; nothing if the data ended. After the
  /// run went back to an earlier state the number may be smaller than before; it is the same if a
  /// request came before the update could begin.
  std::function<std::optional<std::int64_t>(std::int64_t step)> update;
  std::function<void(const Boundary&)> log = {};
  /// Where `log` is not due: metrics for files and not for people.
  std::function<void(const Boundary&)> summarize = {};
  /// Runs an evaluator: adds "evaluator/metric" to the results.
  std::function<void(const Boundary&, const std::string& evaluator, Results&)> evaluate = {};
  /// False: it could not be done here.
  std::function<bool(const Boundary&)> save = {};
  std::function<void(const Boundary&)> start_trace = {};
  std::function<void(const Boundary&)> stop_trace = {};
  std::function<Request()> request = {};
  std::function<double()> seconds = {};
};

/// One evaluator as the loop sees it.
struct LoopEvaluator {
  std::string name;
  When when;
};

struct LoopStart {
  std::int64_t step = 0;
  bool is_fresh = true;
  std::optional<std::int64_t> max_step = {};
};

struct LoopEnd {
  std::int64_t step = 0;
  StopReason reason = StopReason::max_step;
  Results results;  // the newest of each evaluator that ran
};

class Loop {
 public:
  /// The config must be resolved (train/presets.h). Throws invalid_argument for an order with an
  /// action twice, or without `stop`, for traces that overlap, and for durations in units that the
  /// run's length says nothing of.
  Loop(LoopConfig config,
       const When& save,
       const std::vector<LoopEvaluator>& evaluators,
       LoopHooks hooks,
       const optim::RunLength& run = {});

  /// Works until there is a reason to stop. A trace under way is ended however this is left.
  LoopEnd run(const LoopStart& start);

  /// What the policies remember, for checkpoints.
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  struct Evaluator {
    std::string name;
    Policies when;
  };

  /// False: the loop ends.
  bool work_at(Boundary& boundary);
  void act(Action action, Boundary& boundary);
  void log(const Boundary& boundary);
  void evaluate(Boundary& boundary);
  void save(const Boundary& boundary);
  void save_if_leaving(const Boundary& boundary);
  void save_now(Boundary boundary);
  void start_trace(const Boundary& boundary);
  void stop_trace(const Boundary& boundary, bool is_forced);
  void note_request(Boundary& boundary);
  /// Between boundaries. False: the loop ends.
  bool answer_request(Boundary& boundary);
  void note_improvement(const Boundary& boundary);

  LoopConfig config_;
  LoopHooks hooks_;
  Policies log_;
  Policies summaries_;
  Policies save_;
  std::vector<Evaluator> evaluators_;
  std::optional<std::int64_t> trace_stop_;  // a trace is under way until this step
  std::optional<std::int64_t> saved_step_;
  std::optional<double> best_;  // early stopping's
  std::int64_t num_without_improvement_ = 0;
  bool gave_up_ = false;
  bool must_save_ = false;
  Results newest_results_;
};

}  // namespace meshwright::train
