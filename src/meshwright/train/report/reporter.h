// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/metrics/bus.h"
#include "meshwright/metrics/event.h"
#include "meshwright/train/report/run_folder.h"
#include "meshwright/train/report/sink_config.h"
#include "meshwright/train/report/sink_factory.h"
#include "meshwright/train/step/metrics_queue.h"

namespace meshwright::train {

struct ReporterOptions {
  /// Discard metrics that earlier processes wrote for this and later steps: 0 for a new run, N + 1
  /// for one that resumes at step N.
  std::int64_t first_step = 0;
  std::optional<std::int64_t> max_step = {};
  std::vector<std::string> evaluators = {};
  bool show = true;  // print to the console
  SinkConfigs sinks = default_sinks();
  /// Sinks added by a program. They receive the metrics of training and of the evaluators.
  std::vector<SinkFactory> added_sinks = {};
  /// The run's config as TOML, shown by W&B.
  std::string config = {};
};

/// Reports the progress of a run: console lines, metrics.jsonl, TensorBoard event files in
/// summaries/train_train and summaries/EVALUATOR, and optionally an offline W&B run.
class Reporter {
 public:
  Reporter(const RunFolder& folder, const ReporterOptions& options);

  /// Reports the metrics of a step if it is marked for the console or for files. Histograms are
  /// only written to TensorBoard.
  void training(const StepMetrics& metrics,
                const std::vector<std::string>& names,
                const std::vector<std::string>& histogram_names = {});
  void evaluation(std::int64_t step,
                  const std::string& evaluator,
                  const std::vector<metrics::Entry>& entries,
                  const std::vector<std::string>& shown);
  /// Reports other facts about the run.
  void about_run(std::int64_t step, std::vector<metrics::Entry> entries);
  void flush();

 private:
  std::int64_t first_step_;
  // Without a configured sink, a bus writes nothing.
  std::unique_ptr<metrics::Bus> lines_;  // console, metrics.jsonl and added sinks
  std::unique_ptr<metrics::Bus> training_;
  std::map<std::string, std::unique_ptr<metrics::Bus>> evaluators_;
  std::unique_ptr<metrics::Bus> wandb_;
};

}  // namespace meshwright::train
