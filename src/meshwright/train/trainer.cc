// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer.h"

#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/state.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/initial_state.h"
#include "meshwright/train/restored_arrays.h"
#include "meshwright/train/run_notes.h"
#include "meshwright/train/state_dialect.h"
#include "meshwright/train/trainer_parts.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;
using checkpoint::Stored;

}  // namespace

Outcome run(const Job& job, const runtime::Client& client) {
  const bool restores_one = job.config.restore.step.has_value();
  MW_CHECK(!job.fresh || !restores_one,
           "--fresh begins anew, and checkpoint.restore_step does not: one or the other");
  MW_CHECK(!job.goes_back || restores_one,
           "--go-back: where to?\nset checkpoint.restore_step=N, the step of a checkpoint");
  return Trainer(job, client).run();
}

Outcome run(const Job& job) {
  const std::int64_t num_devices = job.placement.mesh.num_devices();
  return run(job, runtime::open({.num_devices = static_cast<int>(num_devices)}));
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
      metrics_([this](const StepMetrics& metrics) { handle_metrics(metrics); }) {
  if (job.config.log_prefix) log_prefix_.emplace([this] { return log_prefix(); });
  if (job.fresh) folder_.set_earlier_runs_aside();
  checkpoints_.emplace(checkpoint::ManagerOptions{
      .folder = folder_.checkpoints(),
      .format = job.config.checkpoint_format,
      .retention = job.config.retention,
      .saving = job.config.saving,
      .dialect = dialect_of(*job.task, setting_.layout.specs, job.config.seed)});
  loop_.emplace(job.config.loop, loop_evaluators(evaluators_), hooks());
}

Outcome Trainer::run() {
  if (job_.config.watchdog.timeout_seconds > 0) {
    watchdog_.emplace(WatchdogOptions{.timeout_seconds = job_.config.watchdog.timeout_seconds,
                                      .crash_on_hang = job_.config.watchdog.crash_on_hang});
  }
  LoopStart start = begin();
  signals_.emplace();
  LoopEnd end = loop_->run(start);
  metrics_.take_all();
  times_.turn_to(Spent::saving);
  checkpoints_->finish();
  if (end.step != start.step) {
    tell_memory();
    note("time: ", text_of(times_.so_far()));
    reporter_->about_run(end.step, entries_of(times_.so_far()));
  }
  reporter_->flush();
  const bool was_done = end.step == start.step && end.reason == StopReason::max_step;
  note(was_done ? "already " : "", why(end),
       was_done ? "; for more: max_step=N, to begin anew: --fresh" : "");
  return {.step = end.step,
          .reason = end.reason,
          .stop_signal = signals_->stop_signal(),
          .results = std::move(end.results),
          .last = last_metrics()};
}

// --- before the loop --------------------------------------------------------------------------

LoopStart Trainer::begin() {
  Watchdog::Pause pause(watchdog_ ? &*watchdog_ : nullptr);
  const std::string warning = dialect_warning(*job_.task, job_.config.checkpoint_format);
  if (!warning.empty()) warn(warning);
  describe(setting_, evaluators_, folder_);
  if (const std::string environment = environment_text(); !environment.empty()) note(environment);
  const StepWork work = step_work(job_, setting_, client_);
  // What does not suit is told now: compiling may take minutes.
  const bool is_resumed =
      restorer()
          .restore([this](const Stored& stored) { check_suits(stored, job_, setting_.layout); })
          .has_value();
  if (!is_resumed) built_ = build_early(setting_.layout, job_.init_state);
  note("compiling the step");
  times_.turn_to(Spent::compiling);
  runner_.emplace(client_, setting_, job_.source->spec(), step_options(job_.config),
                  job_.config.saving.snapshot == checkpoint::SnapshotKind::hold);
  std::optional<std::int64_t> restored = restore();
  const std::int64_t step = restored ? *restored : begin_anew();
  times_.continue_from(last_told(folder_.path() / "metrics.jsonl"), restored_times_);
  write_descriptions();
  std::vector<std::string> names;
  for (const Evaluator& evaluator : evaluators_)
    names.push_back(evaluator.name());
  ReporterOptions reporting{
      .first_step = step, .max_step = job_.config.max_step, .evaluators = names};
  if (job_.config.wandb) reporting.wandb_config = job_.resolved_config;
  reporter_.emplace(folder_, reporting);
  reporter_->about_run(
      step, {{"trainer_config", metrics::Text{metrics::markdown_code(job_.resolved_config)}},
             {"num_model_params", static_cast<double>(num_params(setting_.layout))}});
  start_data(step);
  // Not in the first update: there the watchdog and those who ask to stop would wait for it, and
  // the time would count as training.
  (void)runner_->executable();
  restart_resident_peak();
  memory_before_ = find_resident_memory();
  pace_.emplace(work);
  pace_->restart(step, 0);
  times_.turn_to(Spent::steps);
  return {.step = step, .is_fresh = !restored, .max_step = job_.config.max_step};
}

// Only once the state fits: what does not may not replace the config of the run that is there.
void Trainer::write_descriptions() const {
  folder_.write_text("config.toml", job_.resolved_config);
  folder_.write_text("trainer_state_tree.txt", describe_state(setting_.layout));
  folder_.write_text("params.txt", describe_params(setting_.layout));
}

void Trainer::tell_memory() const {
  const std::optional<ResidentMemory> memory = find_resident_memory();
  if (!memory || !memory_before_) return;
  const auto peak = static_cast<double>(memory->peak_bytes);
  const double of_steps = peak - static_cast<double>(memory_before_->now_bytes);
  note("host memory: at most ", metrics::byte_count(peak), ", ", metrics::byte_count(of_steps),
       " more than before the first step");
}

StepRestorer Trainer::restorer() {
  return {*checkpoints_,
          folder_.path(),
          {.step = job_.config.restore.step, .goes_back = job_.goes_back}};
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
  runner_->restore(arrays_to_restore(wanted, setting_.layout, job_.config.restore, initial),
                   {.max_bytes = static_cast<std::uint64_t>(job_.config.restore.max_bytes)});

  // Only now: it may have been damaged.
  data_offset_ = offset;
  guard_.restart(num_skipped != nullptr && !forgets_skipped
                     ? std::get<std::int64_t>(num_skipped->value())
                     : 0);
  if (const Meta* then = meta.find("environment"); then != nullptr && lineage_.children().empty())
    warn_of_other_environment(*then, environment(client_));
  lineage_ = lineage(folder_, stored);
  restored_times_ = time_spent(meta.find("time_spent"));
  const Meta* loop_state = meta.find("loop");
  loop_->set_state(loop_state != nullptr ? *loop_state : Meta());
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
  data_offset_ = next_batch - step;
  start_data(step);
  pace_->restart(step, 0);
  warn("went back to step ", step, "; training goes on with batch ", step + data_offset_);
  return step;
}

}  // namespace meshwright::train
