// SPDX-License-Identifier: Apache-2.0
// How a run handles and checks the metrics of its updates.
#include <utility>

#include "meshwright/base/error_with_remedy.h"
#include "meshwright/base/log.h"
#include "meshwright/train/health/update_check.h"
#include "meshwright/train/report/data_use.h"
#include "meshwright/train/step/step_statistics.h"
#include "meshwright/train/trainer/programs.h"
#include "meshwright/train/trainer/trainer.h"

namespace meshwright::train {

StepResults Trainer::update_twice(std::int64_t step, const data::Batch& batch) {
  runner_.wait();
  const TimeAccount::Span span(session_.times(), Spent::checking);
  // While the state is held, the update is another program, whose bits may differ.
  if (job_.config.checkpoint.saving.snapshot == checkpoint::SnapshotKind::hold)
    parts_.checkpoints.wait();
  StepRunner::HostState before = runner_.copy_state();
  StepResults results;
  {
    const TimeAccount::Span counted(session_.times(), Spent::steps);
    results = runner_.update(batch);
    runner_.wait();
  }
  const UpdateBits first = bits_of(runner_, results);
  runner_.put_state(std::move(before));
  results = runner_.update(batch);
  std::vector<std::string> paths;
  for (const auto& [path, spec] : flatten(parts_.setup.layout.specs))
    paths.push_back(path);
  const std::string what =
      difference(first, bits_of(runner_, results), runner_.metric_names(), paths);
  if (!what.empty()) {
    report_difference(step, what);
  } else {
    last_sound_step_ = step;
  }
  return results;
}

void Trainer::report_difference(std::int64_t step, const std::string& what) const {
  const std::string text =
      str("step ", step, ": its update was computed twice from the same state and batch, and the ",
          "bits differ: ", what, "\nthe cause is faulty hardware or a ",
          "nondeterministic operation; last check that found equal bits: ",
          last_sound_step_ ? str("step ", *last_sound_step_) : "none");
  if (job_.config.sdc_check.action == OnDifference::warn) return log_warning(text);
  fail_with_remedy(ErrorCode::device, set_config("to only warn", {{"sdc_check.action", "warn"}}),
                   text);
}

void Trainer::handle_metrics(const StepMetrics& metrics) {
  guard_.record(metrics, batch_number(metrics.step - 1));
  last_values_ = metrics.values;
  reporter_->training(metrics, runner_.metric_names(), runner_.histogram_names());
  if (!metrics.report) return;
  reporter_->about_run(metrics.step, entries_of(session_.times().so_far()));
  reporter_->about_run(metrics.step, data_use(*job_.source, data_position(metrics.step)));
}

void Trainer::explain(const StepMetrics& metrics, std::int64_t batch) {
  if (!job_.config.step.non_finite.explain) return;
  log_info("computing step ", metrics.step, " again to find what is not finite");
  const Watchdog::Pause pause(session_.watchdog());
  const MemoryAccount::Compiling compiling(&memory_);
  try {
    const StepInputs step{.params = runner_.part("model"),
                          .key = runner_.state().at("prng_key").value(),
                          .source = *job_.source,
                          .batch = batch};
    const StepStatistics found = step_statistics(client_, parts_.setup, step, job_.config.step);
    const std::string file = str("non_finite/step_", metrics.step, ".txt");
    log_warning("step ", metrics.step, " computed again: ", not_finite_text(found),
                "\n  all arrays: ", session_.folder().name(file));
    session_.folder().write_text(
        file, str("step ", metrics.step, ", batch ", batch, "\n", table_of(found)));
  } catch (const Error& error) {  // there may be too little memory for it
    log_warning("cannot report what is not finite: ", error.what());
  }
}

Results Trainer::last_metrics() const {
  Results out;
  for (std::size_t i = 0; i < last_values_.size(); ++i)
    out[runner_.metric_names()[i]] = last_values_[i];
  return out;
}

}  // namespace meshwright::train
