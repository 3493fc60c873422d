// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer.h"

#include <algorithm>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/state.h"
#include "meshwright/metrics/format.h"
#include "meshwright/train/eval_files.h"
#include "meshwright/train/initial_state.h"
#include "meshwright/train/restored_arrays.h"
#include "meshwright/train/restored_step.h"
#include "meshwright/train/run_notes.h"
#include "meshwright/train/state_dialect.h"
#include "meshwright/train/trainer_parts.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;
using checkpoint::Stored;

constexpr int kNumBatchesDescribed = 3;

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
      learner_(job.learner, job.task->param_specs()),
      layout_(state_layout(job.task->param_specs(), learner_, job.placement)),
      setting_{*job.task, learner_, job.placement, layout_, init_rules(job.config)},
      evaluators_(make_evaluators(job, setting_)),
      guard_(job.config.non_finite),
      metrics_([this](const StepMetrics& metrics) { handle_metrics(metrics); }) {
  if (job.config.log_prefix) log_prefix_.emplace([this] { return log_prefix(); });
  if (job.fresh) folder_.set_earlier_runs_aside();
  checkpoints_.emplace(
      checkpoint::ManagerOptions{.folder = folder_.checkpoints(),
                                 .format = job.config.checkpoint_format,
                                 .retention = job.config.retention,
                                 .saving = job.config.saving,
                                 .dialect = dialect_of(*job.task, layout_.specs, job.config.seed)});
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
  checkpoints_->finish();
  if (end.step != start.step) tell_memory();
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
  const StepWork work = step_work(job_, setting_, client_);
  note("compiling the step");  // which may take minutes without a word
  runner_.emplace(client_, setting_, job_.source->spec(), step_options(job_.config),
                  job_.config.saving.snapshot == checkpoint::SnapshotKind::hold);
  std::optional<std::int64_t> restored = restore();
  const std::int64_t step = restored ? *restored : begin_anew();
  write_descriptions();
  std::vector<std::string> names;
  for (const Evaluator& evaluator : evaluators_)
    names.push_back(evaluator.name());
  reporter_.emplace(
      folder_,
      ReporterOptions{.first_step = step, .max_step = job_.config.max_step, .evaluators = names});
  reporter_->about_run(
      step, {{"trainer_config", metrics::Text{metrics::markdown_code(job_.resolved_config)}},
             {"num_model_params", static_cast<double>(num_params(layout_))}});
  start_data(step);
  // Not in the first update: there the watchdog and those who ask to stop would wait for it, and
  // the time would count as training.
  (void)runner_->executable();
  restart_resident_peak();
  memory_before_ = find_resident_memory();
  pace_.emplace(work);
  pace_->restart(step, 0);
  return {.step = step, .is_fresh = !restored, .max_step = job_.config.max_step};
}

// Only once the state fits: what does not may not replace the config of the run that is there.
void Trainer::write_descriptions() const {
  folder_.write_text("config.toml", job_.resolved_config);
  folder_.write_text("trainer_state_tree.txt", describe_state(layout_));
  folder_.write_text("params.txt", describe_params(layout_));
}

void Trainer::tell_memory() const {
  const std::optional<ResidentMemory> memory = find_resident_memory();
  if (!memory || !memory_before_) return;
  const auto peak = static_cast<double>(memory->peak_bytes);
  const double of_steps = peak - static_cast<double>(memory_before_->now_bytes);
  note("host memory: at most ", metrics::byte_count(peak), ", ", metrics::byte_count(of_steps),
       " more than before the first step");
}

std::optional<std::int64_t> Trainer::restore() {
  const StepRestorer restorer(*checkpoints_, folder_,
                              {.step = job_.config.restore.step, .goes_back = job_.goes_back});
  const std::optional<std::int64_t> step = restorer.restore(
      [this](const Stored& stored) { adopt(stored, job_.config.prefetch.resume); });
  if (!step) return std::nullopt;
  restorer.leave_newer();
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
  const auto initial = [this] {
    runner_->init(job_.config.seed);
    return runner_->state();
  };
  runner_->restore(arrays_to_restore(wanted, layout_, job_.config.restore, initial),
                   {.max_bytes = static_cast<std::uint64_t>(job_.config.restore.max_bytes)});

  // Only now: it may have been damaged.
  data_offset_ = offset;
  guard_.restart(num_skipped != nullptr && !forgets_skipped
                     ? std::get<std::int64_t>(num_skipped->value())
                     : 0);
  if (const Meta* then = meta.find("environment"); then != nullptr && lineage_.children().empty())
    warn_of_other_environment(*then, environment(client_));
  lineage_ = lineage(folder_, stored);
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
  const std::int64_t built = begin_state(*runner_, layout_, job_.config.seed, job_.init_state);
  return job_.begins_at_built_step ? built : 0;
}

void Trainer::start_data(std::int64_t step) {
  data_.reset();
  data::PrefetchOptions options = prefetch_options(job_.config.prefetch);
  options.first_step = step + data_offset_;
  data_.emplace(job_.source, options);
}

LoopHooks Trainer::hooks() {
  LoopHooks out;
  out.update = [this](std::int64_t step) { return update(step); };
  out.log = [this](const Boundary& boundary) { log(boundary); };
  out.summarize = [this](const Boundary&) { metrics_.tell_files_newest(); };
  out.evaluate = [this](const Boundary& boundary, const std::string& name, Results& results) {
    evaluate(boundary, name, results);
  };
  out.save = [this](const Boundary& boundary) { return save(boundary); };
  out.start_trace = [this](const Boundary& boundary) {
    if (!contains(job_.config.loop.trace.processes, process_)) return;
    note("a trace of what the host does begins after step ", boundary.step);
    trace_.start();
    trace_start_ = boundary.step;
  };
  out.stop_trace = [this](const Boundary&) {
    trace_.stop(
        folder_.trace(str("step_", trace_start_, process_ == 0 ? "" : str("_process_", process_))));
  };
  out.request = [this] { return signals_->take(); };
  out.seconds = [start = steady_seconds()] { return steady_seconds() - start; };
  return out;
}

std::string Trainer::log_prefix() const {
  const std::int64_t step = log_step_;
  return str("process ", process_, " step ", step < 0 ? "-" : str(step), "] ");
}

void Trainer::enter(std::int64_t step, std::string_view phase) {
  log_step_ = step;
  if (watchdog_) watchdog_->note_progress(step, phase);
  trace_.begin_phase(step, phase);
}

// --- updates ----------------------------------------------------------------------------------

std::optional<std::int64_t> Trainer::update(std::int64_t step) {
  if (guard_.must_rewind()) step = rewind();
  checkpoints_->poll();
  enter(step, "waiting for data");
  if (!data_->wait_unless([this] { return signals_->has_request(); })) return step;
  std::optional<data::Batch> batch = data_->next();
  if (!batch) return std::nullopt;
  if (num_batches_described_ < kNumBatchesDescribed) {
    ++num_batches_described_;
    note("batch ", step + data_offset_, ": ", shapes_of(*batch));
  }
  enter(step, "starting an update");
  metrics_.push(step + 1, runner_->update(*batch));
  enter(step, "reading metrics");
  metrics_.take_ready();
  return step + 1;
}

void Trainer::handle_metrics(const StepMetrics& metrics) {
  guard_.note(metrics);
  last_values_ = metrics.values;
  reporter_->training(metrics, runner_->metric_names(), runner_->histogram_names());
}

Results Trainer::last_metrics() const {
  Results out;
  for (std::size_t i = 0; i < last_values_.size(); ++i)
    out[runner_->metric_names()[i]] = last_values_[i];
  return out;
}

std::int64_t Trainer::rewind() {
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
  }
  data_offset_ = next_batch - step;
  start_data(step);
  pace_->restart(step, 0);
  warn("went back to step ", step, "; training goes on with batch ", step + data_offset_);
  return step;
}

// --- boundaries -------------------------------------------------------------------------------

void Trainer::log(const Boundary& boundary) {
  metrics::Progress progress =
      pace_->report(boundary.step - metrics_.num_unfinished(), data_->wait_seconds());
  progress.step = boundary.step;
  progress.max_step = boundary.max_step;
  metrics_.report_newest(std::move(progress));
}

void Trainer::evaluate(const Boundary& boundary, const std::string& name, Results& results) {
  enter(boundary.step, "evaluating");
  metrics_.take_all();
  const Pace::Pause pause(*pace_);
  if (guard_.must_rewind()) return;
  Evaluator& evaluator = *std::ranges::find(evaluators_, name, &Evaluator::name);
  EvalFiles files(folder_.path(), evaluator, boundary.step);
  const EvalHooks hooks = files.hooks({
      .enter = [&](std::int64_t, std::string_view) { enter(boundary.step, "evaluating"); },
      .should_stop = [&] { return signals_->stop_signal() != 0; },
  });
  Watchdog::Pause watchdog_pause(watchdog_ && !evaluator.is_compiled() ? &*watchdog_ : nullptr);
  std::optional<Evaluation> found;
  try {
    found = evaluator.run(client_, params_for_eval(evaluator.config()), eval_key(job_.config.seed),
                          hooks);
  } catch (const Error& error) {
    throw error.with_context(str("evaluator '", name, "' at step ", boundary.step));
  }
  if (!found) return note(name, " at step ", boundary.step, ": broken off");
  files.finish();
  for (const metrics::Entry& entry : found->entries)
    results[name + "/" + entry.name] = std::get<metrics::WeightedScalar>(entry.value).mean;
  tell(*reporter_, boundary.step, name, *found);
}

bool Trainer::save(const Boundary& boundary) {
  enter(boundary.step, "saving");
  // A checkpoint must not be made of a state that the devices have given up.
  metrics_.take_all();
  const Pace::Pause pause(*pace_);
  if (guard_.must_rewind()) return false;
  // Who leaves, asked for it or has just seen an evaluation counts on this one.
  const bool must_save =
      boundary.stop || boundary.save_requested || !boundary.results.empty() || boundary.is_last();
  return checkpoints_->save({.step = boundary.step,
                             .arrays = runner_->state(),
                             .meta = meta(boundary.step),
                             .metric = metric_for_retention(job_.config.retention, boundary),
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
  if (Meta loop_state = loop_->state(); loop_state.num_leaves() > 0) out["loop"] = loop_state;
  return out;
}

std::vector<runtime::DeviceArray> Trainer::params_for_eval(const EvaluatorConfig& config) const {
  return runner_->part(judges_average(config, learner_) ? "learner/ema" : "model");
}

}  // namespace meshwright::train
