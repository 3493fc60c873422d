// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "meshwright/metrics/progress.h"

namespace meshwright::train {

/// Work of one step, over all devices.
struct StepWork {
  double num_examples = 0;
  double num_tokens = 0;  // 0: report examples instead
  double num_flops = 0;   // that the model requires
  std::optional<double> peak_flops = {};
};

double steady_seconds();

/// Measures training speed between reports. A step counts once the devices have finished it, since
/// the host runs ahead of them.
class Pace {
 public:
  explicit Pace(const StepWork& work, std::function<double()> seconds = steady_seconds);

  /// Starts an interval with `num_done` finished steps. `wait_seconds` is the time spent waiting
  /// for data so far.
  void restart(std::int64_t num_done, double wait_seconds);
  /// Returns the rates of this interval, absent if no step finished, and starts the next one.
  metrics::Progress report(std::int64_t num_done, double wait_seconds);

  /// Excludes the lifetime of this object from the measurement.
  class Pause {
   public:
    explicit Pause(Pace& pace) : pace_(pace), start_(pace.seconds_()) {}
    ~Pause() { pace_.start_seconds_ += pace_.seconds_() - start_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Pace& pace_;
    double start_;
  };

 private:
  StepWork work_;
  std::function<double()> seconds_;
  double start_seconds_ = 0;
  std::int64_t start_num_done_ = 0;
  double start_wait_seconds_ = 0;
};

}  // namespace meshwright::train
