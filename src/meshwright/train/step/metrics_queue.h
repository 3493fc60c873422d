// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/metrics/progress.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::train {

/// Metrics of one step, on the host.
struct StepMetrics {
  std::int64_t step = 0;
  std::vector<float> values;
  /// Progress to report with this step, if it is reported.
  std::optional<metrics::Progress> report;
  /// Write to files even if the step is not reported.
  bool is_for_files = false;
  /// Arrays to compute histograms of, if the step is reported anywhere.
  std::vector<HostTensor> histograms = {};
};

/// Queue of metrics that the devices are still computing. They are read once they are available, so
/// training never waits for them.
class MetricsQueue {
 public:
  /// `handle` receives the metrics of every step, in order.
  explicit MetricsQueue(std::function<void(const StepMetrics&)> handle)
      : handle_(std::move(handle)) {}

  void push(std::int64_t step, StepResults results);
  /// Marks the newest step for reporting. Does nothing if the queue is empty.
  void report_newest(metrics::Progress progress);
  /// Marks the newest step for files only, unless it is already marked for reporting.
  void tell_files_newest();
  /// Number of steps still running on the devices.
  std::int64_t num_unfinished() const;
  /// Handles the metrics that have arrived.
  void take_ready();
  /// Waits for all metrics and handles them.
  void take_all();
  /// Drops all metrics.
  void clear() { waiting_.clear(); }

 private:
  struct Waiting {
    std::int64_t step;
    StepResults results;
    std::optional<metrics::Progress> report;
    bool is_for_files = false;
  };
  void take_first();

  std::function<void(const StepMetrics&)> handle_;
  std::deque<Waiting> waiting_;
};

}  // namespace meshwright::train
