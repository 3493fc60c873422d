// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/trainer.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/counted.h"
#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/run_notes.h"

namespace meshwright::train {
namespace {

constexpr int kNumBatchesDescribed = 3;
constexpr double kSecondsBetweenLooks = 0.002;
constexpr int kEveryStep = 3;  // verbosity that announces every step

// An interrupted update is retried at its boundary. After a rewind, hooks run at the next one.
bool is_at_new_boundary(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::updated || verdict.kind == Verdict::Kind::end_of_data;
}

// Waits for the compilation, so that it counts neither as memory of steps nor as time of the first
// update, where the watchdog and requests to stop would wait for it.
MemorySource once_compiled(const StepRunner& runner) {
  (void)runner.executable();
  return {};
}

}  // namespace

Trainer::Trainer(const TrainerParts& parts, const Position& start)
    : job_(parts.job),
      client_(parts.client),
      session_(parts.session),
      parts_(parts.parts),
      state_(parts.state),
      runner_(parts.runner),
      source_(data::without(job_.source, job_.skipped_batches)),
      position_(start),
      guard_(job_.config.step.non_finite,
             [this](const StepMetrics& metrics, std::int64_t batch) { explain(metrics, batch); }),
      metrics_([this](const StepMetrics& metrics) { handle_metrics(metrics); }),
      // The metrics of the restored step are already in the files.
      reporter_(open_reporter(start.is_restored() ? start.step + 1 : start.step)),
      data_(open_data(start.step)),
      memory_(once_compiled(runner_)),
      pace_(parts_.work),
      waits_(
          job_.source->name(), job_.config.prefetch.batches.num_threads, session_.times().so_far()),
      agenda_(parts_.agenda) {
  report_start();
  guard_.restart(start.num_skipped);
  if (start.agenda) agenda_.set_state(*start.agenda);
  pace_.restart(start.step, 0);
  session_.times().turn_to(Spent::steps);
  agenda_.begin(
      {.step = start.step, .is_fresh = !start.is_restored(), .max_step = parts_.length.total_steps},
      session_.seconds());
}

std::unique_ptr<Reporter> Trainer::open_reporter(std::int64_t first_step) const {
  ReporterOptions options{.first_step = first_step,
                          .max_step = parts_.length.total_steps,
                          .sinks = job_.config.sinks,
                          .added_sinks = job_.sinks,
                          .config = job_.resolved_config};
  for (const Evaluator& evaluator : parts_.evaluators)
    options.evaluators.push_back(evaluator.name());
  return std::make_unique<Reporter>(session_.folder(), options);
}

std::unique_ptr<data::Prefetcher> Trainer::open_data(std::int64_t step) const {
  data::PrefetchOptions options = job_.config.prefetch.batches;
  options.ranges = job_.task->integer_ranges();
  options.first_step = num_batches(step);
  return std::make_unique<data::Prefetcher>(source_, options);
}

void Trainer::report_start() {
  std::vector<metrics::Entry> about = {
      {"trainer_config", metrics::Text{metrics::markdown_code(job_.resolved_config)}},
      {"num_model_params", static_cast<double>(num_params(parts_.setup.layout))}};
  if (const auto num_skipped = job_.source->num_skipped_records())
    about.push_back({"data/skipped_records", static_cast<double>(*num_skipped)});
  if (const auto& changes = state_.config_changes(); !changes.empty())
    about.push_back({"config_changes", metrics::Text{metrics::markdown_code(text_of(changes))}});
  reporter_->about_run(position_.step, std::move(about));
}

// At a boundary.

void Trainer::call_hooks(HookTime now) {
  if (std::ranges::count(job_.hooks, now, &Hook::when) == 0) return;
  session_.enter(step(), "calling hooks", kEveryStep);
  const Tree<runtime::DeviceArray> params = runner_.state().at("model");
  for (const Hook& hook : job_.hooks) {
    if (hook.when != now) continue;
    try {
      const Request request = hook.at_boundary({agenda_.boundary(), params});
      requested_by_hooks_.stop = requested_by_hooks_.stop || request.stop;
      requested_by_hooks_.save = requested_by_hooks_.save || request.save;
    } catch (const Error& error) {
      fail_after(str("hook '", hook.name, "' at step ", step(), ": "), error);
    }
  }
}

std::optional<Item> Trainer::next_item() {
  Request request = session_.signals().take();
  const Request by_hooks = std::exchange(requested_by_hooks_, {});
  request.stop = request.stop || by_hooks.stop || is_folder_moved_;
  request.save = request.save || by_hooks.save;
  return agenda_.next(request);
}

void Trainer::act(const Item& item) {
  const Boundary& boundary = agenda_.boundary();
  switch (item.kind) {
    case Item::Kind::log:
      return log(boundary);
    case Item::Kind::summarize:
      return metrics_.tell_files_newest();
    case Item::Kind::evaluate:
      return agenda_.record_results(evaluate(boundary, item.evaluator));
    case Item::Kind::call_hooks:
      return call_hooks(HookTime::after_evaluations);
    case Item::Kind::save:
      if (save(boundary)) agenda_.record_saved();
      return;
    case Item::Kind::start_trace:
      return session_.start_trace(boundary.step);
    case Item::Kind::stop_trace:
      return session_.stop_trace();
  }
}

// Between two boundaries.

NextBatch Trainer::next_batch() {
  using enum Verdict::Kind;
  if (guard_.must_rewind()) return {.otherwise = {went_back, rewind()}};
  poll_save();
  if (is_folder_moved_) return {.otherwise = {interrupted, step()}};
  session_.enter(step(), "waiting for data", kEveryStep);
  if (!is_batch_ready()) return {.otherwise = {interrupted, step()}};
  return {data_->next(), {end_of_data, step()}};
}

bool Trainer::is_batch_ready() {
  const auto should_stop = [this] { return session_.signals().has_request(); };
  bool is_there = data_->is_ready_within(0);
  // A late batch costs nothing while the devices compute.
  while (!is_there && metrics_.num_unfinished() > 0) {
    if (should_stop()) return false;
    is_there = data_->is_ready_within(kSecondsBetweenLooks);
  }
  if (is_there) return true;
  const TimeAccount::Span span(session_.times(), Spent::data_wait);
  return data_->wait_unless(should_stop);
}

Verdict Trainer::update(const data::Batch& batch) {
  const std::int64_t before = step();
  if (num_batches_described_ < kNumBatchesDescribed) {
    ++num_batches_described_;
    log_info("batch ", batch_number(before), ": ", shapes_of(batch));
  }
  session_.enter(before, "starting an update", kEveryStep);
  session_.signals().begin();
  const std::optional<std::int64_t> check_every = job_.config.sdc_check.every_n_steps;
  const bool is_checked = check_every && (before + 1) % *check_every == 0;
  metrics_.push(before + 1, is_checked ? update_twice(before + 1, batch) : runner_.update(batch));
  session_.enter(before, "reading metrics", kEveryStep);
  metrics_.take_ready();
  return {Verdict::Kind::updated, before + 1};
}

void Trainer::record_verdict(const Verdict& verdict) {
  agenda_.record_verdict(verdict, session_.seconds());
  if (is_at_new_boundary(verdict)) call_hooks(HookTime::before_actions);
}

std::int64_t Trainer::rewind() {
  const TimeAccount::Span span(session_.times(), Spent::restoring);
  const std::int64_t bad_step = guard_.begin_rewind();
  const std::int64_t next_batch = num_batches(bad_step);
  metrics_.clear();
  runner_.wait();
  position_ = state_.go_back(runner_, bad_step - 1);
  guard_.restart(position_.num_skipped);
  if (position_.agenda) agenda_.set_state(*position_.agenda);
  session_.times().lose_steps_since(position_.times);
  reporter_.reset();  // closes the files that its successor opens
  reporter_ = open_reporter(position_.step + 1);
  position_.data_offset = next_batch - position_.step;
  data_.reset();
  data_ = open_data(position_.step);
  pace_.restart(position_.step, 0);
  log_warning("went back to step ", position_.step, "; training continues with batch ",
              batch_number(position_.step));
  return position_.step;
}

// After the last boundary.

Outcome Trainer::finish() {
  session_.stop_trace();
  const Boundary& last = agenda_.boundary();
  metrics_.take_all();
  session_.times().turn_to(Spent::saving);
  parts_.checkpoints.finish();
  reporter_->flush();
  session_.folder().check_in_place();
  if (last.step != last.start) {
    const TimeSpent spent = session_.times().so_far();
    if (const std::string text = memory_.text(); !text.empty()) log_info(text);
    log_info("time: ", text_of(spent));
    if (const std::string text = waits_.text(spent); !text.empty()) log_info("data: ", text);
    if (const std::int64_t num_skipped = job_.source->num_skipped_records().value_or(0))
      log_info("data: skipped ", counted(num_skipped, "corrupt record"));
    reporter_->about_run(last.step, entries_of(spent));
  }
  reporter_->flush();
  const bool was_done = last.step == last.start && last.stop == StopReason::max_step;
  if (was_done) {
    log_info(nothing_to_do(last.step, last.max_step.value_or(last.step)));
  } else {
    log_info(why(last));
  }
  return {.step = last.step,
          .reason = last.stop.value(),
          .stop_signal = session_.signals().stop_signal(),
          .results = agenda_.newest_results(),
          .last = last_metrics()};
}

}  // namespace meshwright::train
