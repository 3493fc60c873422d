// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer/trainer.h"

#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/base/wording.h"
#include "meshwright/data/state.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/loop/run_length.h"
#include "meshwright/train/report/earlier_configs.h"
#include "meshwright/train/restore/initial_state.h"
#include "meshwright/train/restore/match_arrays.h"
#include "meshwright/train/restore/state_dialect.h"
#include "meshwright/train/trainer/resolve.h"
#include "meshwright/train/trainer/run_notes.h"
#include "meshwright/train/trainer/trainer_parts.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;
using checkpoint::Stored;

// What follows from a folder that is not where it was.
bool is_of_files(ErrorCode code) {
  return code == ErrorCode::not_found || code == ErrorCode::already_exists ||
         code == ErrorCode::data_loss || code == ErrorCode::unavailable ||
         code == ErrorCode::resource_exhausted || code == ErrorCode::invalid_argument;
}

// An interrupted turn is tried again at its boundary. After going back hooks see the next one.
bool is_at_new_boundary(const Verdict& verdict) {
  return verdict.kind == Verdict::Kind::updated || verdict.kind == Verdict::Kind::end_of_data;
}

}  // namespace

Outcome run(const Job& job, const runtime::Client& client) {
  const StartupSignals startup_signals;
  const bool restores_one = job.config.checkpoint.restore.step.has_value();
  MW_CHECK(!job.fresh || !restores_one, "checkpoint.restore_step goes on from a checkpoint, ",
           wording(Advice::begin_anew), " from none: one or the other");
  MW_CHECK(!job.goes_back || restores_one, wording(Advice::go_back),
           ": where to?\nset checkpoint.restore_step=N, the step of a checkpoint");
  Job resolved = job;
  resolve(resolved.config, default_preset());
  return Trainer(resolved, client).run();
}

Outcome run(const Job& job) {
  const StartupSignals startup_signals;
  const std::int64_t num_devices = job.placement.mesh.num_devices();
  return run(job, runtime::open({.num_devices = static_cast<int>(num_devices)}));
}

std::optional<double> Outcome::find_result(const std::string& name) const {
  const auto found = results.find(name);
  return found == results.end() ? std::nullopt : std::optional(found->second);
}

Trainer::Trainer(const Job& job, const runtime::Client& client)
    : job_(job),
      client_(client),
      process_(process_of(client)),
      folder_(job.config.dir),
      owner_(setting_of(job)),
      evaluators_(make_evaluators(job, setting_)),
      guard_(job.config.non_finite,
             [this](const StepMetrics& metrics, std::int64_t batch) { explain(metrics, batch); }),
      metrics_([this](const StepMetrics& metrics) { handle_metrics(metrics); }),
      length_(run_length(*job.source, *job.task, job.config.max_step)),
      agenda_(job.config.loop,
              job.config.checkpoint.when.value(),
              agenda_evaluators(evaluators_),
              length_) {
  if (job.config.log_prefix) log_prefix_.emplace([this] { return log_prefix(); });
  if (job.fresh) folder_.set_earlier_runs_aside();
  checkpoints_.emplace(checkpoint::ManagerOptions{
      .format = job.config.checkpoint.format,
      .retention = job.config.checkpoint.retention,
      .saving = job.config.checkpoint.saving,
      .dialect = dialect_of(*job.task, setting_.layout.specs, job.config.seed),
      .files = folder_.checkpoints(),
      .run_id = folder_.id()});
}

Outcome Trainer::run() {
  try {
    Outcome out = train();
    folder_.check_in_place();
    return out;
  } catch (const Error& error) {
    if (is_of_files(error.code()) && folder_.state() != io::RootState{}) {
      warn(error.what());
      folder_.check_in_place();
    }
    throw;
  }
}

Outcome Trainer::train() {
  if (job_.config.watchdog.timeout_seconds > 0) {
    watchdog_.emplace(WatchdogOptions{.timeout_seconds = job_.config.watchdog.timeout_seconds,
                                      .crash_on_hang = job_.config.watchdog.crash_on_hang});
  }
  agenda_.begin(begin(), seconds());
  take_turns();
  return finish();
}

void Trainer::take_turns() {
  try {
    call_hooks();
    while (true) {
      while (const std::optional<Item> item = agenda_.next(take_request()))
        act(*item);
      if (agenda_.is_over()) break;
      const Verdict verdict = update(agenda_.boundary().step);
      agenda_.note_verdict(verdict, seconds());
      if (is_at_new_boundary(verdict)) call_hooks();
    }
  } catch (...) {
    if (agenda_.take_trace()) stop_trace();
    throw;
  }
  if (agenda_.take_trace()) stop_trace();
}

Outcome Trainer::finish() {
  const Boundary& last = agenda_.boundary();
  metrics_.take_all();
  times_.turn_to(Spent::saving);
  checkpoints_->finish();
  reporter_->flush();
  folder_.check_in_place();
  if (last.step != last.start) {
    if (const std::string text = memory_->text(); !text.empty()) note(text);
    note("time: ", text_of(times_.so_far()));
    reporter_->about_run(last.step, entries_of(times_.so_far()));
  }
  reporter_->flush();
  const bool was_done = last.step == last.start && last.stop == StopReason::max_step;
  if (was_done) {
    note(nothing_to_do(last.step, last.max_step.value_or(last.step)));
  } else {
    note(why(last));
  }
  return {.step = last.step,
          .reason = last.stop.value(),
          .stop_signal = signals_ ? signals_->stop_signal() : 0,
          .results = agenda_.newest_results(),
          .last = last_metrics()};
}

// --- before the first boundary
// --------------------------------------------------------------------------

AgendaStart Trainer::begin() {
  Watchdog::Pause pause(watchdog_ ? &*watchdog_ : nullptr);
  const std::string warning = dialect_warning(*job_.task, job_.config.checkpoint.format);
  if (!warning.empty()) warn(warning);
  describe(setting_, evaluators_, folder_);
  if (const std::string environment = environment_text(); !environment.empty()) note(environment);
  const StepWork work = step_work(job_, setting_, client_);
  // What does not suit is told now: compiling may take minutes.
  if (!check_checkpoint()) built_ = build_early(setting_.layout, job_.init_state);
  note("compiling the step");
  times_.turn_to(Spent::compiling);
  runner_.emplace(client_, setting_, job_.source->spec(), step_options(job_.config),
                  job_.config.checkpoint.saving.snapshot == checkpoint::SnapshotKind::hold);
  std::optional<std::int64_t> restored = restore();
  const std::int64_t step = restored ? *restored : begin_anew();
  times_.continue_from(last_told(*folder_.files(), "metrics.jsonl"), restored_times_);
  write_descriptions();
  // The metrics of the step that was restored are there, and are not told again.
  open_reporter(restored ? step + 1 : step);
  std::vector<metrics::Entry> about = {
      {"trainer_config", metrics::Text{metrics::markdown_code(job_.resolved_config)}},
      {"num_model_params", static_cast<double>(num_params(setting_.layout))}};
  if (!config_changes_.empty())
    about.push_back(
        {"config_changes", metrics::Text{metrics::markdown_code(text_of(config_changes_))}});
  reporter_->about_run(step, std::move(about));
  start_data(step);
  // Not in the first update: there the watchdog and those who ask to stop would wait for it, and
  // the time would count as training.
  (void)runner_->executable();
  memory_.emplace();
  pace_.emplace(work);
  pace_->restart(step, 0);
  times_.turn_to(Spent::steps);
  return {.step = step, .is_fresh = !restored, .max_step = length_.total_steps};
}

void Trainer::open_reporter(std::int64_t first_step) {
  ReporterOptions options{.first_step = first_step, .max_step = length_.total_steps};
  for (const Evaluator& evaluator : evaluators_)
    options.evaluators.push_back(evaluator.name());
  if (job_.config.wandb) options.wandb_config = job_.resolved_config;
  options.sinks = job_.sinks;
  reporter_.emplace(folder_, options);
}

// Only once the state fits: what does not may not replace the config of the run that is there.
void Trainer::write_descriptions() const {
  keep_earlier_config(*folder_.files(), job_.resolved_config);
  folder_.write_text("config.toml", job_.resolved_config);
  folder_.write_text("trainer_state_tree.txt", describe_state(setting_.layout));
  folder_.write_text("params.txt", describe_params(setting_.layout));
}

StepRestorer Trainer::restorer() {
  return {*checkpoints_,
          folder_.files(),
          {.step = job_.config.checkpoint.restore.step, .goes_back = job_.goes_back}};
}

bool Trainer::check_checkpoint() {
  const std::optional<std::int64_t> step = restorer().restore([this](const Stored& stored) {
    check_suits(stored, job_, setting_.layout);
    config_changes_ = changes_since(stored, job_);
  });
  if (step) tell(config_changes_, *step);
  if (!step && !job_.fresh) folder_.check_no_steps_elsewhere();
  return step.has_value();
}

std::optional<std::int64_t> Trainer::restore() {
  const TimeAccount::Span span(times_, Spent::restoring);
  const std::optional<std::int64_t> step = restorer().restore(
      [this](const Stored& stored) { adopt(stored, job_.config.prefetch.resume); });
  if (!step) return std::nullopt;
  restorer().leave_newer(folder_, *step);
  note("restored the checkpoint of step ", *step);
  return step;
}

void Trainer::adopt(const Stored& stored, bool resumes_data) {
  const Meta& meta = stored.meta;
  const std::int64_t offset = (resumes_data ? num_batches_used(stored) : 0) - stored.step;
  const Meta* num_skipped = meta.find("num_skipped");
  // The updates that an earlier run skipped would halt this one: its program applies none after
  // the first that it leaves out.
  const bool forgets_skipped = job_.config.non_finite.action != OnNonFinite::skip;
  Stored wanted = stored;
  if (forgets_skipped)
    wanted.arrays["num_skipped"] = checkpoint::stored_value(HostTensor::scalar<std::int32_t>(0));
  const auto initial = [this](const Tree<HostTensor>& prebuilt) {
    runner_->init(job_.config.seed, prebuilt);
    return runner_->state();
  };
  runner_->restore(
      arrays_to_restore(wanted, setting_.layout, job_.config.checkpoint.restore, initial),
      {.max_bytes = static_cast<std::uint64_t>(job_.config.checkpoint.restore.max_bytes)});

  // Only now: it may have been damaged.
  data_offset_ = offset;
  guard_.restart(num_skipped != nullptr && !forgets_skipped
                     ? std::get<std::int64_t>(num_skipped->value())
                     : 0);
  if (const Meta* then = meta.find("environment"); then != nullptr && lineage_.children().empty())
    warn_of_other_environment(*then, environment(client_));
  lineage_ = lineage(folder_, stored);
  restored_times_ = time_spent(meta.find("time_spent"));
  const Meta* agenda = meta.find("loop");
  agenda_.set_state(agenda != nullptr ? *agenda : Meta());
}

std::int64_t Trainer::num_batches_used(const Stored& stored) const {
  const Meta* state = stored.meta.find("data");
  if (state == nullptr) {
    warn("the checkpoint of step ", stored.step, " says nothing about data; the next batch is ",
         stored.step);
    return stored.step;
  }
  return data::num_batches_used(
      *job_.source, *state,
      job_.config.prefetch.allow_other_data ? data::OnOtherData::warn : data::OnOtherData::refuse);
}

std::int64_t Trainer::begin_anew() {
  const TimeAccount::Span span(times_, Spent::restoring);
  const std::int64_t built = begin_state(*runner_, setting_.layout, job_.config.seed,
                                         job_.init_state, std::exchange(built_, std::nullopt));
  return job_.begins_at_built_step ? built : 0;
}

void Trainer::start_data(std::int64_t step) {
  data_.reset();
  data::PrefetchOptions options = prefetch_options(job_.config.prefetch);
  options.ranges = job_.task->integer_ranges();
  options.first_step = step + data_offset_;
  data_.emplace(job_.source, options);
}

std::int64_t Trainer::rewind() {
  const TimeAccount::Span span(times_, Spent::restoring);
  const std::int64_t bad_step = guard_.begin_rewind();
  const std::int64_t next_batch = bad_step + data_offset_;
  metrics_.clear();
  runner_->wait();
  const std::optional<std::int64_t> restored = checkpoints_->use_newest(
      [this](const Stored& stored) { adopt(stored, /*resumes_data=*/true); }, bad_step - 1);
  const std::int64_t step = restored ? *restored : begin_anew();
  if (restored) {
    checkpoints_->remove_after(step);
  } else {
    guard_.restart(0);
    lineage_ = {};
    restored_times_ = {};
  }
  times_.lose_steps_since(restored_times_);
  open_reporter(step + 1);  // what was told of later steps is void
  data_offset_ = next_batch - step;
  start_data(step);
  pace_->restart(step, 0);
  warn("went back to step ", step, "; training goes on with batch ", step + data_offset_);
  return step;
}

}  // namespace meshwright::train
