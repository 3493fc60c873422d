// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

void check_order(const std::vector<Action>& order) {
  for (Action action : order) {
    MW_CHECK(std::ranges::count(order, action) == 1, "loop: '", action_name(action),
             "' stands twice in the order of a boundary");
  }
  MW_CHECK(std::ranges::count(order, Action::stop) == 1,
           "loop: the order of a boundary lacks 'stop', so that it would never end");
}

void check_trace(TraceConfig trace) {
  std::ranges::sort(trace.start_steps);
  for (std::size_t i = 1; i < trace.start_steps.size(); ++i) {
    MW_CHECK(trace.start_steps[i] - trace.start_steps[i - 1] >= trace.num_steps,
             "loop: the traces that start at steps ", trace.start_steps[i - 1], " and ",
             trace.start_steps[i], " overlap: each covers ", trace.num_steps, " steps");
  }
}

}  // namespace

config::Choices<Action> config_choices(Action) {
  using enum Action;
  return {{"stop_trace", stop_trace},  {"log", log}, {"eval", eval}, {"save", save}, {"stop", stop},
          {"start_trace", start_trace}};
}

std::string action_name(Action action) {
  for (const auto& [name, known] : config_choices(action)) {
    if (known == action) return name;
  }
  return "?";
}

bool contains(const Processes& processes, std::int64_t process) {
  const auto* numbers = std::get_if<std::vector<std::int64_t>>(&processes);
  return numbers == nullptr || std::ranges::find(*numbers, process) != numbers->end();
}

Loop::Loop(LoopConfig config,
           const When& save,
           const std::vector<LoopEvaluator>& evaluators,
           LoopHooks hooks,
           const optim::RunLength& run)
    : config_(std::move(config)),
      hooks_(std::move(hooks)),
      log_(in_steps(config_.log.value(), run, "log")),
      summaries_(in_steps(config_.summaries.value(), run, "summaries")),
      save_(in_steps(save, run, "checkpoint.when")) {
  check_order(config_.order.boundary.value());
  if (config_.order.start) check_order(*config_.order.start);
  check_trace(config_.trace);
  for (const LoopEvaluator& evaluator : evaluators) {
    const std::string key = str("evaluators.", evaluator.name, ".when");
    evaluators_.push_back({evaluator.name, Policies(in_steps(evaluator.when, run, key))});
  }
}

LoopEnd Loop::run(const LoopStart& start) {
  Boundary boundary{.step = start.step,
                    .start = start.step,
                    .is_start = true,
                    .is_fresh = start.is_fresh,
                    .max_step = start.max_step};
  if (!start.is_fresh) saved_step_ = start.step;
  try {
    bool goes_on = work_at(boundary);
    while (goes_on) {
      std::optional<std::int64_t> next = hooks_.update(boundary.step);
      const bool is_interrupted = next == boundary.step;
      boundary = {
          .step = next.value_or(boundary.step), .start = start.step, .max_step = start.max_step};
      if (!next) boundary.stop = StopReason::end_of_data;
      // What was due at this boundary has been done.
      goes_on = is_interrupted ? answer_request(boundary) : work_at(boundary);
    }
  } catch (...) {
    stop_trace(boundary, /*is_forced=*/true);
    throw;
  }
  stop_trace(boundary, /*is_forced=*/true);
  return {boundary.step, *boundary.stop, newest_results_};
}

bool Loop::work_at(Boundary& boundary) {
  if (hooks_.seconds) boundary.seconds = hooks_.seconds();
  if (boundary.is_finished()) boundary.stop = StopReason::max_step;
  note_request(boundary);
  const bool at_start = boundary.is_start && config_.order.start;
  for (Action action : at_start ? *config_.order.start : *config_.order.boundary) {
    if (action == Action::stop && boundary.stop) {
      save_if_leaving(boundary);
      return false;
    }
    act(action, boundary);
    // A signal may have come during a long evaluation.
    note_request(boundary);
  }
  return true;
}

void Loop::act(Action action, Boundary& boundary) {
  switch (action) {
    case Action::stop_trace:
      return stop_trace(boundary, /*is_forced=*/false);
    case Action::log:
      return log(boundary);
    case Action::eval:
      return evaluate(boundary);
    case Action::save:
      return save(boundary);
    case Action::start_trace:
      return start_trace(boundary);
    case Action::stop:
      return;
  }
}

void Loop::log(const Boundary& boundary) {
  // Both are asked at each boundary, because of what they remember.
  const bool is_for_people = log_.is_due(boundary);
  const bool is_for_files = summaries_.is_due(boundary);
  if (is_for_people && hooks_.log) hooks_.log(boundary);
  if (is_for_files && !is_for_people && hooks_.summarize) hooks_.summarize(boundary);
}

void Loop::evaluate(Boundary& boundary) {
  for (Evaluator& evaluator : evaluators_) {
    // Who asks to stop does not want to wait.
    if (boundary.stop == StopReason::requested) return;
    if (!evaluator.when.is_due(boundary) || !hooks_.evaluate) continue;
    hooks_.evaluate(boundary, evaluator.name, boundary.results);
    note_request(boundary);
  }
  for (const auto& [name, value] : boundary.results)
    newest_results_[name] = value;
  note_improvement(boundary);
  if (gave_up_ && !boundary.stop) boundary.stop = StopReason::no_improvement;
}

void Loop::save(const Boundary& boundary) {
  bool is_due = save_.is_due(boundary);
  if (is_due || must_save_) save_now(boundary);
}

// Where `stop` stands before `save`, or no save is due: nothing that was computed may be lost.
void Loop::save_if_leaving(const Boundary& boundary) {
  bool is_early =
      boundary.stop == StopReason::requested || boundary.stop == StopReason::no_improvement;
  if (is_early || must_save_) save_now(boundary);
}

void Loop::save_now(Boundary boundary) {
  boundary.save_requested = std::exchange(must_save_, false);
  if (saved_step_ == boundary.step || !hooks_.save) return;
  if (hooks_.save(boundary)) saved_step_ = boundary.step;
}

void Loop::start_trace(const Boundary& boundary) {
  const TraceConfig& trace = config_.trace;
  std::int64_t counted = trace.from_start ? boundary.step - boundary.start : boundary.step;
  if (trace_stop_ || std::ranges::count(trace.start_steps, counted) == 0) return;
  trace_stop_ = boundary.step + trace.num_steps;
  if (hooks_.start_trace) hooks_.start_trace(boundary);
}

void Loop::stop_trace(const Boundary& boundary, bool is_forced) {
  if (!trace_stop_ || (!is_forced && boundary.step < *trace_stop_)) return;
  trace_stop_.reset();
  if (hooks_.stop_trace) hooks_.stop_trace(boundary);
}

void Loop::note_request(Boundary& boundary) {
  if (!hooks_.request) return;
  Request request = hooks_.request();
  must_save_ = must_save_ || request.save;
  if (request.stop && boundary.stop != StopReason::max_step) boundary.stop = StopReason::requested;
}

bool Loop::answer_request(Boundary& boundary) {
  note_request(boundary);
  save_if_leaving(boundary);
  return !boundary.stop;
}

void Loop::note_improvement(const Boundary& boundary) {
  if (!config_.early_stopping) return;
  const EarlyStopping& config = *config_.early_stopping;
  auto found = boundary.results.find(config.evaluator + "/" + config.metric);
  if (found == boundary.results.end()) return;
  double sign = config.mode == Better::max ? 1 : -1;
  double margin = best_ ? config.atol + config.rtol * std::abs(*best_) : 0;
  if (!best_ || sign * (found->second - *best_) > margin) {
    best_ = found->second;
    num_without_improvement_ = 0;
  } else if (++num_without_improvement_ >= config.patience) {
    note("early stopping: ", config.evaluator, "/", config.metric, " was no better than ", *best_,
         " in ", num_without_improvement_, " evaluations");
    gave_up_ = true;
  }
}

Tree<Scalar> Loop::state() const {
  Tree<Scalar> out;
  auto keep = [&](const std::string& name, const Policies& policies) {
    if (Tree<Scalar> state = policies.state(); state.num_leaves() > 0) out[name] = state;
  };
  keep("log", log_);
  keep("summaries", summaries_);
  keep("save", save_);
  for (const Evaluator& evaluator : evaluators_)
    keep("evaluators/" + evaluator.name, evaluator.when);
  if (best_) {
    out["early_stopping/best"] = Scalar(*best_);
    out["early_stopping/num_without_improvement"] = Scalar(num_without_improvement_);
  }
  return out;
}

void Loop::set_state(const Tree<Scalar>& state) {
  auto give = [&](const std::string& name, Policies& policies) {
    const Tree<Scalar>* found = state.find(name);
    policies.set_state(found != nullptr ? *found : Tree<Scalar>());
  };
  give("log", log_);
  give("summaries", summaries_);
  give("save", save_);
  for (Evaluator& evaluator : evaluators_)
    give("evaluators/" + evaluator.name, evaluator.when);
  if (state.find("early_stopping") == nullptr) return;
  best_ = std::get<double>(state.at("early_stopping/best").value());
  num_without_improvement_ =
      std::get<std::int64_t>(state.at("early_stopping/num_without_improvement").value());
}

}  // namespace meshwright::train
