// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/train/report/time_account.h"

namespace meshwright::train {

/// Tells for which data a run waits, and when it waits too long.
class DataWaits {
 public:
  /// `source` is the name of the training data, `num_threads` the number of threads that make its
  /// batches, and `start` the time spent before this process trains.
  DataWaits(std::string source, int num_threads, const TimeSpent& start = {})
      : source_(std::move(source)), num_threads_(num_threads), last_(start) {}

  /// Must be called at every report. Returns a warning, at most once, if at least a fifth of the
  /// time of steps since the last report, and two seconds, were spent waiting.
  std::optional<std::string> find_warning(const TimeSpent& now);
  void add_evaluation(const std::string& evaluator, double wait_seconds, double seconds);

  /// Returns text such as "training waited 12s for 'text' (3.1% of its time), evaluator 'held_out'
  /// waited 4.0s (40.0%)". Leaves out waits of less than a second or one percent.
  std::string text(const TimeSpent& spent) const;

 private:
  struct Evaluations {
    double wait_seconds = 0, seconds = 0;
  };

  std::string source_;
  int num_threads_;
  bool has_warned_ = false;
  TimeSpent last_;
  std::map<std::string, Evaluations> evaluations_;
};

}  // namespace meshwright::train
