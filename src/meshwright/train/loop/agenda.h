// SPDX-License-Identifier: Apache-2.0
// Decides what a run does next. A run alternates between boundaries, where it logs, evaluates and
// saves, and updates. The agenda holds the policies and is asked for one item of work after
// another; it knows no devices and does none of the work itself:
//
//   agenda.begin(start, seconds);
//   while (true) {
//     while (const auto item = agenda.next(request)) do_it(*item);
//     if (agenda.is_over()) break;
//     agenda.note_verdict(update(agenda.boundary().step), seconds);
//   }
//
// After an evaluation the caller adds its results with note_results(), after a save note_saved().
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

/// What signals ask for.
struct Request {
  bool stop = false;
  bool save = false;  // once
};

/// How an attempt to update ended.
struct Verdict {
  enum class Kind {
    updated,
    interrupted,  // by a request, before the update began
    end_of_data,
    went_back,  // to an earlier state
  };
  Kind kind = Kind::updated;
  std::int64_t step = 0;  // the number of updates in the state
};

/// One item of work at a boundary.
struct Item {
  enum class Kind {
    log,
    summarize,  // metrics for files only
    evaluate,
    save,
    start_trace,
    stop_trace,
  };
  Kind kind = Kind::log;
  std::string evaluator = {};  // for evaluate
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
  /// `config` must be resolved (train/loop/preset.h). Throws invalid_argument for an order that
  /// repeats an action or lacks `stop`, for overlapping traces, and for durations in units that
  /// `run` does not know.
  Agenda(LoopConfig config,
         const When& save,
         const std::vector<AgendaEvaluator>& evaluators,
         const optim::RunLength& run = {});

  /// Opens the first boundary. `seconds` counts from the start of this process's run.
  void begin(const AgendaStart& start, double seconds);
  /// Opens the next boundary. After `interrupted` only the request is answered; after `went_back`
  /// the next update follows at once.
  void note_verdict(const Verdict& verdict, double seconds);

  /// The next item of work at this boundary, or nothing once it is done. `request` is what signals
  /// have asked for since the last call.
  std::optional<Item> next(const Request& request);
  /// True once the run is to end: boundary().stop says why.
  bool is_over() const { return is_over_; }
  /// Whether a trace is under way, which must be ended however the run ends. Forgets it.
  bool take_trace();

  const Boundary& boundary() const { return boundary_; }
  /// Adds results of the evaluator that has just run, as "evaluator/metric".
  void note_results(const Results& results);
  void note_saved() { saved_step_ = boundary_.step; }
  /// The newest results of every evaluator that ran.
  const Results& newest_results() const { return newest_results_; }

  /// What the policies remember, for checkpoints.
  Tree<Scalar> state() const;
  void set_state(const Tree<Scalar>& state);

 private:
  struct Evaluator {
    std::string name;
    Policies when;
  };

  void open(Boundary boundary);
  void note_request(const Request& request);
  std::optional<Item> answer_request();
  std::optional<Item> item_of(Action action);
  std::optional<Item> log_item();
  std::optional<Item> next_evaluation();
  std::optional<Item> save_item();
  std::optional<Item> save_before_leaving();
  std::optional<Item> start_trace_item();
  std::optional<Item> stop_trace_item();
  void note_improvement();

  LoopConfig config_;
  Policies log_;
  Policies summaries_;
  Policies save_;
  std::vector<Evaluator> evaluators_;

  Boundary boundary_;
  std::span<const Action> actions_;  // of this boundary, in config_
  std::size_t next_action_ = 0;      // in actions_
  std::size_t next_evaluator_ = 0;   // in evaluators_
  bool is_interrupted_ = false;      // only a request is to be answered
  bool is_over_ = false;

  std::optional<std::int64_t> trace_stop_;  // a trace is under way until this step
  std::optional<std::int64_t> saved_step_;
  std::optional<double> best_;  // early stopping's
  std::int64_t num_without_improvement_ = 0;
  bool gave_up_ = false;
  bool must_save_ = false;
  Results newest_results_;
};

}  // namespace meshwright::train
