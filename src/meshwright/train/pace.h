// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "meshwright/metrics/progress.h"

namespace meshwright::train {

/// What one step does, over all devices.
struct StepWork {
  double num_examples = 0;
  double num_tokens = 0;  // 0: examples are counted
  double num_flops = 0;   // that the model needs
  std::optional<double> peak_flops = {};
};

double steady_seconds();

/// How fast training goes, from one report to the next. Steps count when the devices are done with
/// them: right after a start or an evaluation the host is ahead of them.
class Pace {
 public:
  explicit Pace(const StepWork& work, std::function<double()> seconds = steady_seconds);

  /// The interval begins here: `num_done` steps are finished. `wait_seconds`: for data, so far.
  void restart(std::int64_t num_done, double wait_seconds);
  /// The rates since, absent if no step was finished; the next interval begins.
  metrics::Progress report(std::int64_t num_done, double wait_seconds);

  /// While it lives, time does not count.
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
