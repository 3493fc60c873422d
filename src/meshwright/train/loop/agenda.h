// SPDX-License-Identifier: Apache-2.0
// Decides what a run does next. A run alternates between updates and boundaries, where it logs,
// evaluates and saves. The agenda holds the policies and returns one item of work at a time. It
// does not use devices and performs no work itself:
//
//    agenda.begin(start, seconds);
//    while (true) {
//      while (const auto item = agenda.next(request)) do_it(*item);
//      if (agenda.is_over()) break;
//      agenda.record_verdict(update(agenda.boundary().step), seconds);
//    }
//
// After an evaluation, the caller passes its results to record_results(); after a save it calls
// record_saved().
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "meshwright/train/loop/boundary.h"
#include "meshwright/train/loop/loop_config.h"
#include "meshwright/train/loop/policy.h"

namespace meshwright::train {

/// A request from a signal or a hook.
struct Request {
  bool stop = false;
  bool save = false;  // save once
};

/// The result of an attempt to update.
struct Verdict {
  enum class Kind {
    updated,
    interrupted,  // by a request, before the update began
    end_of_data,
    went_back,  // to an earlier state
  };
  Kind kind = Kind::updated;
  std::int64_t step = 0;  // number of updates applied to the state
};

/// One item of work at a boundary.
struct Item {
  enum class Kind {
    log,
    summarize,  // write metrics to files only
    evaluate,
    call_hooks,  // call the hooks that run after evaluations; boundary() has the results
    save,
    start_trace,
    stop_trace,  // not returned if the run ends first: the caller must end the trace then
  };
  Kind kind = Kind::log;
  std::string evaluator = {};  // set for `evaluate`
};

struct AgendaEvaluator {
  std::string name;
  When when;
};

struct AgendaStart {
  std::int64_t step = 0;
  bool is_fresh = true;  // no checkpoint was restored
  std::optional<std::int64_t> max_step = {};
};

class Agenda {
 public:
  /// `config` must be resolved (train/loop/preset.h). Throws invalid_argument if the order repeats
  /// an action or lacks `stop`, if a BestMetric policy of `log`, `summaries` or `save` would
  /// precede the evaluation, if traces overlap, or if a duration has a unit that `run` cannot
  /// convert.
  Agenda(LoopConfig config,
         const When& save,
         const std::vector<AgendaEvaluator>& evaluators,
         const optim::RunLength& run = {});

  /// Opens the first boundary. `seconds` counts from the start of this process's run.
  void begin(const AgendaStart& start, double seconds);
  /// Opens the next boundary. After `interrupted`, next() only serves the request. After
  /// `went_back`, the next update follows immediately.
  void record_verdict(const Verdict& verdict, double seconds);

  /// Returns the next item of work at this boundary; nullopt when the boundary is done. `request`
  /// combines all requests since the last call.
  std::optional<Item> next(const Request& request);
  /// True if the run ends at this boundary; boundary().stop holds the reason.
  bool is_over() const { return is_over_; }

  const Boundary& boundary() const { return boundary_; }
  /// Adds the results of the evaluator that has just run, keyed by "evaluator/metric".
  void record_results(const Results& results);
  void record_saved() { saved_step_ = boundary_.step; }
  /// Returns the newest results of every evaluator that has run.
  const Results& newest_results() const { return newest_results_; }

  /// State of the policies, for checkpoints.
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  struct Evaluator {
    std::string name;
    Policies when;
  };

  void open(Boundary boundary);
  void record_request(const Request& request);
  std::optional<Item> leave();
  std::optional<Item> answer_request();
  std::optional<Item> answer_late_request();
  std::optional<Item> item_of(Action action);
  std::optional<Item> log_item();
  std::optional<Item> next_evaluation();
  std::optional<Item> save_item();
  std::optional<Item> save_before_leaving();
  std::optional<Item> start_trace_item();
  std::optional<Item> stop_trace_item();
  void record_improvement();

  LoopConfig config_;
  Policies log_;
  Policies summaries_;
  Policies save_;
  std::vector<Evaluator> evaluators_;

  Boundary boundary_;
  std::span<const Action> actions_;  // actions of this boundary; points into config_
  std::size_t next_action_ = 0;      // index into actions_
  std::size_t next_evaluator_ = 0;   // index into evaluators_
  bool is_interrupted_ = false;      // true if only a request is to be served
  bool is_over_ = false;

  std::optional<std::int64_t> trace_stop_;  // end of the current trace, if any
  std::optional<std::int64_t> saved_step_;
  std::optional<double> best_;  // best value, for early stopping
  std::int64_t num_without_improvement_ = 0;
  bool gave_up_ = false;
  bool must_save_ = false;
  Results newest_results_;
};

}  // namespace meshwright::train
