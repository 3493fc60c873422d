// SPDX-License-Identifier: Apache-2.0
// Logging, evaluating and saving at a boundary.
#include <algorithm>
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/data/core/state.h"
#include "meshwright/train/eval/eval_files.h"
#include "meshwright/train/trainer/environment.h"
#include "meshwright/train/trainer/run_notes.h"
#include "meshwright/train/trainer/trainer.h"

namespace meshwright::train {
namespace {

using checkpoint::Meta;

// Returns the metric of checkpoint.keep_best; nullopt if its evaluator did not run at this
// boundary.
std::optional<double> metric_for_retention(const checkpoint::Retention& retention,
                                           const Boundary& boundary) {
  if (!retention.keep_best) return std::nullopt;
  return find_result(boundary, retention.keep_best->evaluator, retention.keep_best->metric);
}

}  // namespace

void Trainer::log(const Boundary& boundary) {
  metrics::Progress progress =
      pace_.report(boundary.step - metrics_.num_unfinished(), data_->wait_seconds());
  progress.step = boundary.step;
  progress.max_step = boundary.max_step;
  if (const auto warning = waits_.find_warning(session_.times().so_far())) log_warning(*warning);
  metrics_.report_newest(std::move(progress));
}

Results Trainer::evaluate(const Boundary& boundary, const std::string& name) {
  session_.enter(boundary.step, "evaluating");
  metrics_.take_all();
  const Pace::Pause pause(pace_);
  const TimeAccount::Span span(session_.times(), Spent::evaluating);
  if (guard_.must_rewind()) return {};
  Evaluator& evaluator = *std::ranges::find(parts_.evaluators, name, &Evaluator::name);
  EvalFiles files(session_.folder().files(), evaluator, boundary.step);
  const EvalHooks hooks = files.hooks({
      .enter = [&](std::int64_t, std::string_view) { session_.enter(boundary.step, "evaluating"); },
      .should_stop = [&] { return session_.signals().stop_signal() != 0; },
  });
  const bool compiles = !evaluator.is_compiled();
  std::optional<Watchdog::Pause> watchdog_pause;
  if (compiles) watchdog_pause.emplace(session_.watchdog());
  const MemoryAccount::Compiling compiling(compiles ? &memory_ : nullptr);
  std::optional<Evaluation> found;
  try {
    found = evaluator.run(client_, params_for_eval(evaluator.config()), eval_key(job_.config.seed),
                          hooks);
  } catch (const Error& error) {
    fail_after(str("evaluator '", name, "' at step ", boundary.step, ": "), error);
  }
  if (!found) {
    log_info(name, " at step ", boundary.step, ": interrupted");
    return {};
  }
  files.finish();
  waits_.add_evaluation(name, found->wait_seconds, found->seconds);
  Results results;
  for (const metrics::Entry& entry : found->entries)
    results[name + "/" + entry.name] = std::get<metrics::WeightedScalar>(entry.value).mean;
  tell(*reporter_, boundary.step, name, *found);
  return results;
}

void Trainer::poll_save() {
  const bool was_saving = parts_.checkpoints.is_saving();
  parts_.checkpoints.poll();
  if (was_saving && !parts_.checkpoints.is_saving()) check_folder();
}

void Trainer::check_folder() {
  if (is_folder_moved_) return;
  const io::RootState state = session_.folder().state();
  is_folder_moved_ = state.kind == io::RootState::Kind::moved;
  if (!is_folder_moved_) return session_.folder().check_in_place();
  log_warning("the run's folder was moved", state.now_at.empty() ? "" : str(" to ", state.now_at),
              ": the run saves there and ends");
}

bool Trainer::save(const Boundary& boundary) {
  session_.enter(boundary.step, "saving");
  check_folder();
  // Do not save a state that the devices have stopped updating.
  metrics_.take_all();
  const Pace::Pause pause(pace_);
  const TimeAccount::Span span(session_.times(), Spent::saving);
  if (guard_.must_rewind()) return false;
  // The checkpoint is required if the run exits, if it was requested, or after an evaluation.
  const bool must_save =
      boundary.stop || boundary.save_requested || !boundary.results.empty() || boundary.is_last();
  return parts_.checkpoints.save(
      {.step = boundary.step,
       .arrays = runner_.state(),
       .meta = meta(boundary.step),
       .metric = metric_for_retention(job_.config.checkpoint.retention, boundary),
       .must_save = must_save,
       .may_hold = runner_.may_hold()});
}

Meta Trainer::meta(std::int64_t step) const {
  Meta out;
  out["data"] = data::state(*job_.source, data_position(step));
  out["environment"] = environment(client_);
  out["config"] = Scalar(job_.resolved_config);
  if (!position_.lineage.children().empty()) out["lineage"] = position_.lineage;
  out["num_skipped"] = Scalar(guard_.num_skipped());
  out["time_spent"] = meta_of(session_.times().so_far());
  if (Meta agenda = agenda_.state(); agenda.num_leaves() > 0) out["loop"] = agenda;
  return out;
}

std::vector<runtime::DeviceArray> Trainer::params_for_eval(const EvaluatorConfig& config) const {
  return runner_.part(judges_average(config, parts_.setup.learner) ? "learner/ema" : "model");
}

}  // namespace meshwright::train
