// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "meshwright/base/log.h"
#include "meshwright/data/state.h"

namespace meshwright::train {
namespace {

using checkpoint::Contents;
using checkpoint::Meta;

// Who asks to stop waits no longer than this for a source that hangs.
constexpr double kSecondsForDataToEnd = 2;

NonFinite on_devices(OnNonFinite action) {
  return action == OnNonFinite::skip ? NonFinite::skip : NonFinite::halt;
}

std::vector<LoopEvaluator> loop_evaluators(const std::vector<Evaluator>& evaluators) {
  std::vector<LoopEvaluator> out;
  for (const Evaluator& evaluator : evaluators)
    out.push_back({evaluator.name(), evaluator.config().when});
  return out;
}

std::vector<Evaluator> make_evaluators(const Job& job, const Setting& setting) {
  std::vector<Evaluator> out;
  for (const auto& [name, config] : job.config.evaluators) {
    auto source = job.eval_sources.find(name);
    MW_CHECK(source != job.eval_sources.end(), "evaluator '", name, "': it has no data");
    out.emplace_back(name, config, setting, source->second);
  }
  return out;
}

// Where bits may come out differently.
Meta environment(const runtime::Client& client) {
  Meta out;
  out["platform"] = Scalar(client.platform());
  out["platform_version"] = Scalar(client.platform_version());
  return out;
}

void warn_of_other_environment(const Meta& then, const Meta& now) {
  auto compare = [](const Scalar& a, const Scalar& b) {
    return a == b ? "" : str(scalar_text(a), " and ", scalar_text(b));
  };
  std::vector<std::string> found = differences(then, now, compare, "the checkpoint", "this run");
  if (!found.empty())
    warn("the checkpoint was made elsewhere, so results may differ in their last bits: ",
         join(found, "; "));
}

}  // namespace

Outcome run(const Job& job, const runtime::Client& client) {
  return Trainer(job, client).run();
}

Trainer::Trainer(const Job& job, const runtime::Client& client)
    : job_(job),
      client_(client),
      folder_(job.config.dir),
      learner_(job.learner, job.task->param_specs()),
      layout_(state_layout(job.task->param_specs(), learner_, job.placement)),
      setting_{*job.task, learner_, job.placement, layout_},
      evaluators_(make_evaluators(job, setting_)),
      metrics_([this](const StepMetrics& metrics) { handle_metrics(metrics); }) {
  if (job.fresh) folder_.set_earlier_runs_aside();
  checkpoints_.emplace(checkpoint::ManagerOptions{.folder = folder_.checkpoints(),
                                                  .format = job.config.checkpoint_format,
                                                  .retention = job.config.retention});
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
  checkpoints_->wait();
  reporter_->flush();
  return {end.step, end.reason, signals_->stop_signal(), std::move(end.results)};
}

// --- before the loop --------------------------------------------------------------------------

LoopStart Trainer::begin() {
  Watchdog::Pause pause(watchdog_ ? &*watchdog_ : nullptr);
  describe();
  StepOptions options{.num_microbatches = job_.config.num_microbatches,
                      .train_dtype = job_.config.train_dtype,
                      .non_finite = on_devices(job_.config.non_finite.action)};
  note("compiling the step");  // which may take minutes without a word
  runner_.emplace(client_, setting_, job_.source->spec(), options);
  std::optional<std::int64_t> restored = restore();
  if (!restored)
    runner_->init(job_.config.seed,
                  job_.initial_params ? job_.initial_params() : Tree<HostTensor>());
  write_descriptions();
  const std::int64_t step = restored.value_or(0);
  std::vector<std::string> names;
  for (const Evaluator& evaluator : evaluators_)
    names.push_back(evaluator.name());
  reporter_.emplace(
      folder_,
      ReporterOptions{.first_step = step, .max_step = job_.config.max_step, .evaluators = names});
  if (!restored) {
    reporter_->about_run(
        0, {{"trainer_config", metrics::Text{metrics::markdown_code(job_.resolved_config)}}});
  }
  start_data(step);
  interval_start_ = std::chrono::steady_clock::now();
  interval_first_step_ = step;
  return {.step = step, .is_fresh = !restored, .max_step = job_.config.max_step};
}

// Only once the state fits: what does not may not replace the config of the run that is there.
void Trainer::write_descriptions() const {
  folder_.write_text("config.toml", job_.resolved_config);
  folder_.write_text("trainer_state_tree.txt", describe_state(layout_));
  folder_.write_text("params.txt", describe_params(layout_));
}

void Trainer::describe() const {
  for (const std::string& warning : layout_.warnings)
    warn(warning);
  for (const std::string& warning : learner_.warnings())
    warn(warning);
  note("model: ", with_separators(num_params(layout_)), " parameters; mesh: ", job_.placement.mesh,
       "; folder: ", folder_.path().string());
}

std::optional<std::int64_t> Trainer::restore() {
  std::optional<Contents> contents = checkpoints_->restore_newest();
  if (!contents) return std::nullopt;
  adopt(*contents);
  note("restored the checkpoint of step ", contents->step);
  return contents->step;
}

void Trainer::adopt(const Contents& contents) {
  const Meta& meta = contents.meta;
  data::OnOtherData on_other_data =
      job_.config.prefetch.allow_other_data ? data::OnOtherData::warn : data::OnOtherData::refuse;
  std::int64_t num_batches = data::num_batches_used(*job_.source, meta.at("data"), on_other_data);
  data_offset_ = num_batches - contents.step;
  if (const Meta* then = meta.find("environment"))
    warn_of_other_environment(*then, environment(client_));
  const Meta* loop_state = meta.find("loop");
  loop_->set_state(loop_state != nullptr ? *loop_state : Meta());
  num_skipped_ = std::get<std::int64_t>(meta.at("num_skipped").value());
  runner_->restore(contents.arrays);
}

void Trainer::start_data(std::int64_t step) {
  data_.reset();
  const PrefetchConfig& config = job_.config.prefetch;
  data_.emplace(job_.source,
                data::PrefetchOptions{.first_step = step + data_offset_,
                                      .num_threads = static_cast<int>(config.prefetch_threads),
                                      .depth = static_cast<int>(config.prefetch_depth),
                                      .timeout_seconds = config.timeout_seconds,
                                      .end_seconds = kSecondsForDataToEnd});
}

LoopHooks Trainer::hooks() {
  LoopHooks out;
  out.update = [this](std::int64_t step) { return update(step); };
  out.log = [this](const Boundary& boundary) { log(boundary); };
  out.evaluate = [this](const Boundary& boundary, const std::string& name, Results& results) {
    evaluate(boundary, name, results);
  };
  out.save = [this](const Boundary& boundary) { return save(boundary); };
  out.start_trace = [this](const Boundary& boundary) { trace_.start(boundary.step); };
  out.stop_trace = [this](const Boundary&) { trace_.stop(folder_.path() / "traces"); };
  out.request = [this] { return signals_->take(); };
  out.seconds = [start = std::chrono::steady_clock::now()] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  return out;
}

void Trainer::enter(std::int64_t step, std::string_view phase) {
  if (watchdog_) watchdog_->note_progress(step, phase);
  trace_.begin_phase(step, phase);
}

// --- updates ----------------------------------------------------------------------------------

std::optional<std::int64_t> Trainer::update(std::int64_t step) {
  if (rewind_before_) step = rewind();
  enter(step, "waiting for data");
  if (!data_->wait_unless([this] { return signals_->has_request(); })) return step;
  std::optional<data::Batch> batch = data_->next();
  if (!batch) return std::nullopt;
  enter(step, "starting an update");
  metrics_.push(step + 1, runner_->update(*batch));
  enter(step, "reading metrics");
  metrics_.take_ready();
  return step + 1;
}

void Trainer::handle_metrics(const StepMetrics& metrics) {
  const auto skipped = static_cast<std::int64_t>(metrics.values[kNumSkippedMetric]);
  if (skipped > num_skipped_) handle_skipped(metrics);
  num_skipped_ = skipped;
  reporter_->training(metrics, runner_->metric_names());
}

void Trainer::handle_skipped(const StepMetrics& metrics) {
  const NonFiniteConfig& config = job_.config.non_finite;
  const float loss = metrics.values[kLossMetric];
  std::string what =
      std::isfinite(loss) ? "the gradients are" : str("the loss is ", loss, ", which is");
  what = str("step ", metrics.step, ": ", what, " not finite; the update was not applied");
  if (config.action == OnNonFinite::rewind && !rewind_before_ && num_rewinds_ < config.max_times) {
    warn(what, "; going back to the last checkpoint");
    rewind_before_ = metrics.step;
    return;
  }
  if (rewind_before_) return;  // what follows the first is not applied either
  num_skipped_in_row_ = metrics.step == last_skipped_step_ + 1 ? num_skipped_in_row_ + 1 : 1;
  last_skipped_step_ = metrics.step;
  if (config.action == OnNonFinite::skip && num_skipped_in_row_ <= config.max_times)
    return warn(what, "; the batch is skipped");
  fail(ErrorCode::numerics, what, config.action == OnNonFinite::stop ? "" : ", and that too often",
       "\na lower learning rate or clipping of gradients may help",
       config.action == OnNonFinite::stop ? "; to leave such batches out: non_finite.action=skip"
                                          : "; to allow it more often: non_finite.max_times=N");
}

std::int64_t Trainer::rewind() {
  const std::int64_t bad_step = *std::exchange(rewind_before_, std::nullopt);
  const std::int64_t next_batch = bad_step + data_offset_;
  ++num_rewinds_;
  metrics_.clear();
  runner_->wait();
  std::optional<Contents> contents = checkpoints_->restore_newest(bad_step - 1);
  std::int64_t step = 0;
  if (contents) {
    step = contents->step;
    checkpoints_->remove_after(step);
    adopt(*contents);
  } else {
    runner_->init(job_.config.seed,
                  job_.initial_params ? job_.initial_params() : Tree<HostTensor>());
    num_skipped_ = 0;
  }
  data_offset_ = next_batch - step;
  start_data(step);
  warn("went back to step ", step, "; training goes on with batch ", step + data_offset_);
  return step;
}

// --- boundaries -------------------------------------------------------------------------------

void Trainer::log(const Boundary& boundary) {
  const auto now = std::chrono::steady_clock::now();
  const auto num_steps = static_cast<double>(boundary.step - interval_first_step_);
  if (num_steps <= 0) return;
  const double seconds = std::chrono::duration<double>(now - interval_start_).count();
  metrics::Progress progress{.step = boundary.step, .max_step = boundary.max_step};
  progress.seconds_per_step = seconds / num_steps;
  const auto examples = static_cast<double>(data::batch_size(*job_.source));
  const auto tokens = static_cast<double>(job_.task->tokens_per_example());
  progress.items = tokens > 0 ? "tokens" : "examples";
  progress.items_per_second = examples * std::max(tokens, 1.0) / progress.seconds_per_step;
  progress.wait_fraction = std::min(1.0, (data_->wait_seconds() - interval_wait_) / seconds);
  metrics_.report_newest(std::move(progress));
  start_interval(boundary.step);
}

void Trainer::start_interval(std::int64_t step) {
  interval_start_ = std::chrono::steady_clock::now();
  interval_first_step_ = step;
  interval_wait_ = data_ ? data_->wait_seconds() : 0;
}

void Trainer::evaluate(const Boundary& boundary, const std::string& name, Results& results) {
  enter(boundary.step, "evaluating");
  const PauseTiming pause(*this);
  metrics_.take_all();
  if (rewind_before_) return;
  Evaluator& evaluator = *std::ranges::find(evaluators_, name, &Evaluator::name);
  auto should_stop = [&] {
    enter(boundary.step, "evaluating");
    return signals_->stop_signal() != 0;
  };
  Watchdog::Pause watchdog_pause(watchdog_ && !evaluator.is_compiled() ? &*watchdog_ : nullptr);
  std::optional<Evaluation> found;
  try {
    found = evaluator.run(client_, params_for_eval(evaluator.config()), eval_key(job_.config.seed),
                          should_stop);
  } catch (const Error& error) {
    throw error.with_context(str("evaluator '", name, "' at step ", boundary.step));
  }
  if (!found) return note(name, " at step ", boundary.step, ": broken off");
  std::vector<std::string> texts;
  for (const metrics::Entry& entry : found->entries) {
    double mean = std::get<metrics::WeightedScalar>(entry.value).mean;
    results[name + "/" + entry.name] = mean;
    texts.push_back(str(entry.name, " ", static_cast<float>(mean)));
  }
  note(name, " at step ", boundary.step, ": ", join(texts, ", "));
  for (const std::string& line : found->shown)
    note("  ", line);
  found->entries.push_back({"eval_time_secs", found->seconds});
  reporter_->evaluation(boundary.step, name, found->entries, found->shown);
}

bool Trainer::save(const Boundary& boundary) {
  enter(boundary.step, "saving");
  const PauseTiming pause(*this);
  // A checkpoint must not be made of a state that the devices have given up.
  metrics_.take_all();
  if (rewind_before_) return false;
  checkpoints_->save({boundary.step, checkpoint::snapshot(runner_->state()), meta(boundary.step)});
  return true;
}

Meta Trainer::meta(std::int64_t step) const {
  Meta out;
  out["data"] = data::state(*job_.source, step + data_offset_);
  out["environment"] = environment(client_);
  out["num_skipped"] = Scalar(num_skipped_);
  if (Meta loop_state = loop_->state(); loop_state.num_leaves() > 0) out["loop"] = loop_state;
  return out;
}

std::vector<runtime::DeviceArray> Trainer::params_for_eval(const EvaluatorConfig& config) const {
  return runner_->part(config.use_ema && learner_.has_ema() ? "learner/ema" : "model");
}

Trainer::PauseTiming::PauseTiming(Trainer& trainer)
    : trainer_(trainer), start_(std::chrono::steady_clock::now()) {}

Trainer::PauseTiming::~PauseTiming() {
  trainer_.interval_start_ += std::chrono::steady_clock::now() - start_;
}

}  // namespace meshwright::train
