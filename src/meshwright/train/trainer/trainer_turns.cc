// SPDX-License-Identifier: Apache-2.0
// What a run does at its boundaries and between them.
#include <algorithm>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/state.h"
#include "meshwright/train/eval/eval_files.h"
#include "meshwright/train/health/update_check.h"
#include "meshwright/train/step/step_statistics.h"
#include "meshwright/train/trainer/run_notes.h"
#include "meshwright/train/trainer/trainer.h"
#include "meshwright/train/trainer/trainer_parts.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;

constexpr int kNumBatchesDescribed = 3;
constexpr double kSecondsBetweenLooks = 0.002;
constexpr int kEveryStep = 3;  // the verbosity that tells what is in every step

}  // namespace

void Trainer::call_hooks() {
  if (job_.hooks.empty()) return;
  const Tree<runtime::DeviceArray> params = runner_->state().at("model");
  for (const Hook& hook : job_.hooks) {
    try {
      const Request request = hook.at_boundary({agenda_.boundary(), params});
      requested_by_hooks_.stop = requested_by_hooks_.stop || request.stop;
      requested_by_hooks_.save = requested_by_hooks_.save || request.save;
    } catch (const Error& error) {
      throw error.with_context(str("hook '", hook.name, "' at step ", agenda_.boundary().step));
    }
  }
}

void Trainer::act(const Item& item) {
  const Boundary& boundary = agenda_.boundary();
  switch (item.kind) {
    case Item::Kind::log:
      return log(boundary);
    case Item::Kind::summarize:
      return metrics_.tell_files_newest();
    case Item::Kind::evaluate:
      return agenda_.note_results(evaluate(boundary, item.evaluator));
    case Item::Kind::save:
      if (save(boundary)) agenda_.note_saved();
      return;
    case Item::Kind::start_trace:
      return start_trace(boundary);
    case Item::Kind::stop_trace:
      return stop_trace();
  }
}

void Trainer::start_trace(const Boundary& boundary) {
  if (!contains(job_.config.loop.trace.processes, process_)) return;
  note("a trace of what the host does begins after step ", boundary.step);
  trace_.start();
  trace_start_ = boundary.step;
}

void Trainer::stop_trace() {
  const std::string of_process = process_ == 0 ? "" : str("_process_", process_);
  trace_.stop(*folder_.files(), str("traces/step_", trace_start_, of_process, ".json"));
}

double Trainer::seconds() const {
  return steady_seconds() - start_seconds_;
}

std::string Trainer::log_prefix() const {
  const std::int64_t step = log_step_;
  return str("process ", process_, " step ", step < 0 ? "-" : str(step), "] ");
}

void Trainer::enter(std::int64_t step, std::string_view phase, int verbosity) {
  log_step_ = step;
  if (watchdog_) watchdog_->note_progress(step, phase);
  trace_.begin_phase(step, phase);
  note_at(verbosity, "step ", step, ": ", phase);
}

Verdict Trainer::update(std::int64_t step) {
  using enum Verdict::Kind;
  if (guard_.must_rewind()) return {went_back, rewind()};
  poll_save();
  if (is_folder_moved_) return {interrupted, step};
  enter(step, "waiting for data", kEveryStep);
  if (!wait_for_data()) return {interrupted, step};
  std::optional<data::Batch> batch = data_->next();
  if (!batch) return {end_of_data, step};
  if (num_batches_described_ < kNumBatchesDescribed) {
    ++num_batches_described_;
    note("batch ", step + data_offset_, ": ", shapes_of(*batch));
  }
  enter(step, "starting an update", kEveryStep);
  if (!signals_) signals_.emplace();
  const std::optional<std::int64_t> check_every = job_.config.sdc_check.every_n_steps;
  const bool is_checked = check_every && (step + 1) % *check_every == 0;
  metrics_.push(step + 1, is_checked ? update_twice(step + 1, *batch) : runner_->update(*batch));
  enter(step, "reading metrics", kEveryStep);
  metrics_.take_ready();
  return {updated, step + 1};
}

StepResults Trainer::update_twice(std::int64_t step, const data::Batch& batch) {
  runner_->wait();
  const TimeAccount::Span span(times_, Spent::checking);
  // Beside a state that is held the update is another program, whose bits may differ.
  if (job_.config.checkpoint.saving.snapshot == checkpoint::SnapshotKind::hold)
    checkpoints_->wait();
  StepRunner::HostState before = runner_->copy_state();
  StepResults results;
  {
    const TimeAccount::Span counted(times_, Spent::steps);
    results = runner_->update(batch);
    runner_->wait();
  }
  const UpdateBits first = bits_of(*runner_, results);
  runner_->put_state(std::move(before));
  results = runner_->update(batch);
  std::vector<std::string> paths;
  for (const auto& [path, spec] : flatten(setting_.layout.specs))
    paths.push_back(path);
  const std::string what =
      difference(first, bits_of(*runner_, results), runner_->metric_names(), paths);
  if (!what.empty()) {
    tell_difference(step, what);
  } else {
    last_sound_step_ = step;
  }
  return results;
}

void Trainer::tell_difference(std::int64_t step, const std::string& what) const {
  const std::string text =
      str("step ", step, ": its update was computed twice from the same state and batch, and the ",
          "bits differ: ", what, "\nthat means faulty hardware, or operations that are not ",
          "deterministic; checked before and found equal: ",
          last_sound_step_ ? str("step ", *last_sound_step_) : "none");
  if (job_.config.sdc_check.action == OnDifference::warn) return warn(text);
  fail(ErrorCode::device, text, "\nto be warned only: sdc_check.action=warn");
}

bool Trainer::wait_for_data() {
  const auto should_stop = [this] { return signals_ && signals_->has_request(); };
  bool is_there = data_->is_ready_within(0);
  // While the devices compute, data that is late costs nothing.
  while (!is_there && metrics_.num_unfinished() > 0) {
    if (should_stop()) return false;
    is_there = data_->is_ready_within(kSecondsBetweenLooks);
  }
  if (is_there) return true;
  const TimeAccount::Span span(times_, Spent::data_wait);
  return data_->wait_unless(should_stop);
}

void Trainer::handle_metrics(const StepMetrics& metrics) {
  guard_.note(metrics, metrics.step - 1 + data_offset_);
  last_values_ = metrics.values;
  reporter_->training(metrics, runner_->metric_names(), runner_->histogram_names());
  if (metrics.report) reporter_->about_run(metrics.step, entries_of(times_.so_far()));
}

void Trainer::explain(const StepMetrics& metrics, std::int64_t batch) {
  if (!job_.config.non_finite.explain) return;
  note("looking for what is not finite: step ", metrics.step, " is computed once more");
  const Watchdog::Pause pause(watchdog_ ? &*watchdog_ : nullptr);
  const MemoryAccount::Compiling compiling(memory_ ? &*memory_ : nullptr);
  try {
    const StepInputs step{.params = runner_->part("model"),
                          .key = runner_->state().at("prng_key").value(),
                          .source = *job_.source,
                          .batch = batch};
    const StepStatistics found =
        step_statistics(client_, setting_, step, step_options(job_.config));
    const std::string file = str("non_finite/step_", metrics.step, ".txt");
    warn("step ", metrics.step, " computed once more: ", not_finite_text(found),
         "\n  all arrays: ", folder_.name(file));
    folder_.write_text(file, str("step ", metrics.step, ", batch ", batch, "\n", table_of(found)));
  } catch (const Error& error) {  // there may be no memory left for it
    warn("what is not finite could not be told: ", error.what());
  }
}

Results Trainer::last_metrics() const {
  Results out;
  for (std::size_t i = 0; i < last_values_.size(); ++i)
    out[runner_->metric_names()[i]] = last_values_[i];
  return out;
}

void Trainer::log(const Boundary& boundary) {
  metrics::Progress progress =
      pace_->report(boundary.step - metrics_.num_unfinished(), data_->wait_seconds());
  progress.step = boundary.step;
  progress.max_step = boundary.max_step;
  metrics_.report_newest(std::move(progress));
}

Results Trainer::evaluate(const Boundary& boundary, const std::string& name) {
  enter(boundary.step, "evaluating");
  metrics_.take_all();
  const Pace::Pause pause(*pace_);
  const TimeAccount::Span span(times_, Spent::evaluating);
  if (guard_.must_rewind()) return {};
  Evaluator& evaluator = *std::ranges::find(evaluators_, name, &Evaluator::name);
  EvalFiles files(folder_.files(), evaluator, boundary.step);
  const EvalHooks hooks = files.hooks({
      .enter = [&](std::int64_t, std::string_view) { enter(boundary.step, "evaluating"); },
      .should_stop = [&] { return signals_ && signals_->stop_signal() != 0; },
  });
  const bool compiles = !evaluator.is_compiled();
  Watchdog::Pause watchdog_pause(watchdog_ && compiles ? &*watchdog_ : nullptr);
  const MemoryAccount::Compiling compiling(memory_ && compiles ? &*memory_ : nullptr);
  std::optional<Evaluation> found;
  try {
    found = evaluator.run(client_, params_for_eval(evaluator.config()), eval_key(job_.config.seed),
                          hooks);
  } catch (const Error& error) {
    throw error.with_context(str("evaluator '", name, "' at step ", boundary.step));
  }
  if (!found) {
    note(name, " at step ", boundary.step, ": broken off");
    return {};
  }
  files.finish();
  Results results;
  for (const metrics::Entry& entry : found->entries)
    results[name + "/" + entry.name] = std::get<metrics::WeightedScalar>(entry.value).mean;
  tell(*reporter_, boundary.step, name, *found);
  return results;
}

void Trainer::poll_save() {
  const bool was_saving = checkpoints_->is_saving();
  checkpoints_->poll();
  if (was_saving && !checkpoints_->is_saving()) look_after_folder();
}

void Trainer::look_after_folder() {
  if (is_folder_moved_) return;
  const io::RootState state = folder_.state();
  is_folder_moved_ = state.kind == io::RootState::Kind::moved;
  if (!is_folder_moved_) return folder_.check_in_place();
  warn("the folder that the run saves to was moved",
       state.now_at.empty() ? "" : str(" to ", state.now_at), ": it saves there and ends");
}

Request Trainer::take_request() {
  Request out = signals_ ? signals_->take() : Request();
  const Request by_hooks = std::exchange(requested_by_hooks_, {});
  out.stop = out.stop || by_hooks.stop || is_folder_moved_;
  out.save = out.save || by_hooks.save;
  return out;
}

bool Trainer::save(const Boundary& boundary) {
  enter(boundary.step, "saving");
  look_after_folder();
  // A checkpoint must not be made of a state that the devices have given up.
  metrics_.take_all();
  const Pace::Pause pause(*pace_);
  const TimeAccount::Span span(times_, Spent::saving);
  if (guard_.must_rewind()) return false;
  // Who leaves, asked for it or has just seen an evaluation counts on this one.
  const bool must_save =
      boundary.stop || boundary.save_requested || !boundary.results.empty() || boundary.is_last();
  return checkpoints_->save(
      {.step = boundary.step,
       .arrays = runner_->state(),
       .meta = meta(boundary.step),
       .metric = metric_for_retention(job_.config.checkpoint.retention, boundary),
       .must_save = must_save,
       .may_hold = runner_->may_hold()});
}

Meta Trainer::meta(std::int64_t step) const {
  Meta out;
  out["data"] = data::state(*job_.source, step + data_offset_);
  out["environment"] = environment(client_);
  out["config"] = Scalar(job_.resolved_config);
  if (!lineage_.children().empty()) out["lineage"] = lineage_;
  out["num_skipped"] = Scalar(guard_.num_skipped());
  out["time_spent"] = meta_of(times_.so_far());
  if (Meta agenda = agenda_.state(); agenda.num_leaves() > 0) out["loop"] = agenda;
  return out;
}

std::vector<runtime::DeviceArray> Trainer::params_for_eval(const EvaluatorConfig& config) const {
  return runner_->part(judges_average(config, setting_.learner) ? "learner/ema" : "model");
}

}  // namespace meshwright::train
