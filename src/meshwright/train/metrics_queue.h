// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/metrics/progress.h"
#include "meshwright/train/step_runner.h"

namespace meshwright::train {

/// The metrics of one step, on the host.
struct StepMetrics {
  std::int64_t step = 0;
  std::vector<float> values;
  /// How training goes, if this step is to be reported.
  std::optional<metrics::Progress> report;
  /// Files get it, too, if this step is not reported.
  bool is_for_files = false;
  /// The arrays that histograms are made of, if this step is told anywhere.
  std::vector<HostTensor> histograms = {};
};

/// Metrics that the devices are still computing. They are read when they are there, and never
/// waited for while training goes on.
class MetricsQueue {
 public:
  /// `handle` gets every step's metrics in order, when they have come.
  explicit MetricsQueue(std::function<void(const StepMetrics&)> handle)
      : handle_(std::move(handle)) {}

  void push(std::int64_t step, StepResults results);
  /// The newest step is to be reported; nothing if there is none left.
  void report_newest(metrics::Progress progress);
  /// The newest step is for files only, unless it is reported.
  void tell_files_newest();
  /// Steps that the devices are not done with.
  std::int64_t num_unfinished() const;
  /// Handles what has come.
  void take_ready();
  /// Waits for all of it.
  void take_all();
  /// Forgets all of it.
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
