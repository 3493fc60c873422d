// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "meshwright/train/step/metrics_queue.h"
#include "meshwright/train/step/step_options.h"

namespace meshwright::train {

/// Decides what follows an update that the devices did not apply because its loss or gradients were
/// not finite: the next batch, an earlier checkpoint, or the end of the run.
class NonFiniteGuard {
 public:
  /// Reports which arrays are not finite in a step with this batch, while its input state still
  /// exists.
  using Explain = std::function<void(const StepMetrics& metrics, std::int64_t batch)>;

  explicit NonFiniteGuard(const NonFiniteConfig& config, Explain explain = nullptr)
      : config_(config), explain_(std::move(explain)) {}

  /// Records a step and its batch number. Must be called for every step, in order. Throws numerics
  /// if training must end.
  void record(const StepMetrics& metrics, std::int64_t batch);

  /// Number of skipped updates in the current state, across restarts.
  std::int64_t num_skipped() const { return num_skipped_; }
  /// Resets the guard to a state in which this many updates were skipped.
  void restart(std::int64_t num_skipped) { num_skipped_ = num_skipped; }

  /// True if the run must rewind because the current state is lost.
  bool must_rewind() const { return bad_step_.has_value(); }
  /// Starts a rewind. Returns the step whose batch to skip.
  std::int64_t begin_rewind();

 private:
  void handle_bad_step(const StepMetrics& metrics, std::int64_t batch);

  NonFiniteConfig config_;
  Explain explain_;
  std::int64_t num_skipped_ = 0;
  std::int64_t num_skipped_in_row_ = 0;
  std::int64_t last_skipped_step_ = -1;
  std::int64_t num_rewinds_ = 0;
  std::optional<std::int64_t> bad_step_;  // the step that causes the rewind
};

}  // namespace meshwright::train
