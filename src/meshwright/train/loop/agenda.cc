// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/agenda.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"

namespace meshwright::train {
namespace {

void check_order(const std::vector<Action>& order) {
  for (Action action : order) {
    MW_CHECK(std::ranges::count(order, action) == 1, "loop: '", action_name(action),
             "' occurs twice in the order of a boundary");
  }
  MW_CHECK(std::ranges::count(order, Action::stop) == 1,
           "loop: the order of a boundary lacks 'stop', so the run would never end");
}

// An action that waits for the best metric needs the results of this boundary's evaluations.
void check_follows_eval(std::string_view key,
                        const When& when,
                        Action action,
                        const std::vector<Action>& order) {
  const bool needs_results = std::ranges::any_of(
      when, [](const PolicyConfig& policy) { return std::holds_alternative<BestMetric>(policy); });
  const auto eval = std::ranges::find(order, Action::eval);
  const auto found = std::ranges::find(order, action);
  if (!needs_results || (eval < found && found != order.end())) return;
  std::vector<std::string> wanted = {str('"', action_name(Action::eval), '"'),
                                     str('"', action_name(action), '"')};
  for (Action other : order)
    if (other != Action::eval && other != action)
      wanted.push_back(str('"', action_name(other), '"'));
  fail_with_remedy(
      ErrorCode::invalid_argument,
      set_config("to evaluate first", {{"order.boundary", str("[", join(wanted, ", "), "]")}}), key,
      ": a best_metric policy would never be due: the order of a boundary does not have '",
      action_name(action), "' after 'eval'");
}

void check_trace(TraceConfig trace) {
  const std::int64_t num_steps = trace.num_steps.value();
  std::ranges::sort(trace.start_steps);
  for (std::size_t i = 1; i < trace.start_steps.size(); ++i) {
    MW_CHECK(trace.start_steps[i] - trace.start_steps[i - 1] >= num_steps,
             "loop: the traces that start at steps ", trace.start_steps[i - 1], " and ",
             trace.start_steps[i], " overlap: each covers ", num_steps, " steps");
  }
}

}  // namespace

Agenda::Agenda(LoopConfig config,
               const When& save,
               const std::vector<AgendaEvaluator>& evaluators,
               const optim::RunLength& run)
    : config_(std::move(config)),
      log_(in_steps(config_.log.value(), run, "log")),
      summaries_(in_steps(config_.summaries.value(), run, "summaries")),
      save_(in_steps(save, run, "checkpoint.when")) {
  check_order(config_.order.boundary.value());
  if (config_.order.start) check_order(*config_.order.start);
  const std::vector<Action>& order = *config_.order.boundary;
  check_follows_eval("log", config_.log.value(), Action::log, order);
  check_follows_eval("summaries", config_.summaries.value(), Action::log, order);
  check_follows_eval("checkpoint.when", save, Action::save, order);
  check_trace(config_.trace);
  for (const AgendaEvaluator& evaluator : evaluators) {
    const std::string key = str("evaluators.", evaluator.name, ".when");
    evaluators_.push_back({evaluator.name, Policies(in_steps(evaluator.when, run, key))});
  }
}

void Agenda::begin(const AgendaStart& start, double seconds) {
  if (!start.is_fresh) saved_step_ = start.step;
  open({.step = start.step,
        .start = start.step,
        .is_start = true,
        .is_fresh = start.is_fresh,
        .max_step = start.max_step,
        .seconds = seconds});
}

void Agenda::record_verdict(const Verdict& verdict, double seconds) {
  open({.step = verdict.step,
        .start = boundary_.start,
        .max_step = boundary_.max_step,
        .seconds = seconds});
  switch (verdict.kind) {
    case Verdict::Kind::updated:
      return;
    case Verdict::Kind::end_of_data:
      if (!boundary_.stop) boundary_.stop = StopReason::end_of_data;
      return;
    case Verdict::Kind::interrupted:  // this boundary is already done
      is_interrupted_ = true;
      boundary_.stop.reset();
      [[fallthrough]];
    case Verdict::Kind::went_back:
      actions_ = {};
      return;
  }
}

void Agenda::open(Boundary boundary) {
  boundary_ = std::move(boundary);
  if (boundary_.is_finished()) boundary_.stop = StopReason::max_step;
  const bool has_own_order = boundary_.is_start && config_.order.start;
  actions_ = has_own_order ? *config_.order.start : *config_.order.boundary;
  next_action_ = next_evaluator_ = 0;
  is_interrupted_ = is_over_ = false;
}

std::optional<Item> Agenda::next(const Request& request) {
  record_request(request);
  if (std::exchange(is_interrupted_, false)) return answer_request();
  while (next_action_ < actions_.size()) {
    const Action action = actions_[next_action_];
    if (action == Action::eval) {
      if (std::optional<Item> item = next_evaluation()) return item;
    }
    ++next_action_;
    if (action == Action::stop && boundary_.stop) return leave();
    if (std::optional<Item> item = item_of(action)) return item;
  }
  return answer_late_request();
}

// Ends the run here. Saves if `stop` comes before `save` or no save is due, so that no update is
// lost.
std::optional<Item> Agenda::leave() {
  is_over_ = true;
  actions_ = {};
  return save_before_leaving();
}

// Answers a request made after the action that would have answered it, as a hook may do after
// evaluations.
std::optional<Item> Agenda::answer_late_request() {
  if (actions_.empty()) return std::nullopt;
  if (boundary_.stop == StopReason::requested) return leave();
  return must_save_ ? save_item() : std::nullopt;
}

void Agenda::record_request(const Request& request) {
  must_save_ = must_save_ || request.save;
  if (request.stop && boundary_.stop != StopReason::max_step)
    boundary_.stop = StopReason::requested;
}

std::optional<Item> Agenda::answer_request() {
  is_over_ = boundary_.stop.has_value();
  return save_before_leaving();
}

std::optional<Item> Agenda::item_of(Action action) {
  switch (action) {
    case Action::stop_trace:
      return stop_trace_item();
    case Action::log:
      return log_item();
    case Action::save:
      return save_.is_due(boundary_) || must_save_ ? save_item() : std::nullopt;
    case Action::start_trace:
      return start_trace_item();
    case Action::eval:  // next_evaluation() has returned the evaluations
      return boundary_.results.empty() ? std::nullopt : std::optional(Item{Item::Kind::call_hooks});
    case Action::stop:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<Item> Agenda::log_item() {
  // Query both at each boundary, since they keep state.
  const bool is_for_people = log_.is_due(boundary_);
  const bool is_for_files = summaries_.is_due(boundary_);
  if (is_for_people) return Item{Item::Kind::log};
  return is_for_files ? std::optional(Item{Item::Kind::summarize}) : std::nullopt;
}

std::optional<Item> Agenda::next_evaluation() {
  while (next_evaluator_ < evaluators_.size()) {
    // A request to stop should not wait for it.
    if (boundary_.stop == StopReason::requested) return std::nullopt;
    Evaluator& evaluator = evaluators_[next_evaluator_++];
    if (evaluator.when.is_due(boundary_)) return Item{Item::Kind::evaluate, evaluator.name};
  }
  record_improvement();
  if (gave_up_ && !boundary_.stop) boundary_.stop = StopReason::no_improvement;
  return std::nullopt;
}

void Agenda::record_results(const Results& results) {
  for (const auto& [name, value] : results) {
    boundary_.results[name] = value;
    newest_results_[name] = value;
  }
}

std::optional<Item> Agenda::save_item() {
  boundary_.save_requested = std::exchange(must_save_, false);
  if (saved_step_ == boundary_.step) return std::nullopt;
  return Item{Item::Kind::save};
}

std::optional<Item> Agenda::save_before_leaving() {
  const bool is_early =
      boundary_.stop == StopReason::requested || boundary_.stop == StopReason::no_improvement;
  return is_early || must_save_ ? save_item() : std::nullopt;
}

std::optional<Item> Agenda::start_trace_item() {
  const TraceConfig& trace = config_.trace;
  const bool is_from_start = trace.from_start.value();
  const std::int64_t counted = is_from_start ? boundary_.step - boundary_.start : boundary_.step;
  if (trace_stop_ || std::ranges::count(trace.start_steps, counted) == 0) return std::nullopt;
  trace_stop_ = boundary_.step + trace.num_steps.value();
  return Item{Item::Kind::start_trace};
}

std::optional<Item> Agenda::stop_trace_item() {
  if (!trace_stop_ || boundary_.step < *trace_stop_) return std::nullopt;
  trace_stop_.reset();
  return Item{Item::Kind::stop_trace};
}

void Agenda::record_improvement() {
  if (!config_.early_stopping) return;
  const EarlyStopping& config = *config_.early_stopping;
  auto found = boundary_.results.find(config.evaluator + "/" + config.metric);
  if (found == boundary_.results.end()) return;
  double sign = config.mode == Better::max ? 1 : -1;
  double margin = best_ ? config.atol + config.rtol * std::abs(*best_) : 0;
  if (!best_ || sign * (found->second - *best_) > margin) {
    best_ = found->second;
    num_without_improvement_ = 0;
  } else if (++num_without_improvement_ >= config.patience) {
    log_info("early stopping: ", config.evaluator, "/", config.metric, " has not improved on ",
             *best_, " in ", num_without_improvement_, " evaluations");
    gave_up_ = true;
  }
}

Tree<Scalar> Agenda::state() const {
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

void Agenda::set_state(const Tree<Scalar>& state) {
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
