// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "meshwright/config/type_of.h"
#include "meshwright/train/step/metrics_queue.h"

namespace meshwright::train {

enum class OnNonFinite {
  stop,    // the run ends with exit code 5
  skip,    // training goes on with the next batch
  rewind,  // back to the last checkpoint, and the batches since are left out
};
inline config::Choices<OnNonFinite> config_choices(OnNonFinite) {
  using enum OnNonFinite;
  return {{"stop", stop}, {"skip", skip}, {"rewind", rewind}};
}

/// What is done about an update whose loss or gradients are not finite; it is never applied.
struct NonFiniteConfig {
  OnNonFinite action = OnNonFinite::stop;
  /// So many steps in a row are skipped, or so many times the run goes back, before it stops.
  std::int64_t max_times = 10;
  bool explain = true;

  void fields(auto& f) {
    f.optional("action", action, "What to do when the loss or a gradient is not finite.");
    f.optional("max_times", max_times, config::kPositive,
               "Maximum number of consecutive skips, or of rewinds.");
    f.optional("explain", explain,
               "Recompute the step and report which arrays and layers are not finite. Does not "
               "apply where batches are skipped.");
  }
};

/// Decides what follows an update that the devices did not apply because its loss or gradients are
/// not finite: the next batch, an earlier checkpoint, or the end.
class NonFiniteGuard {
 public:
  /// Explains a step with that batch while the state before it is still there.
  using Explain = std::function<void(const StepMetrics& metrics, std::int64_t batch)>;

  explicit NonFiniteGuard(const NonFiniteConfig& config, Explain explain = nullptr)
      : config_(config), explain_(std::move(explain)) {}

  /// Hears of every step, in order, and of the number of its batch. Throws numerics where training
  /// must end.
  void note(const StepMetrics& metrics, std::int64_t batch);

  /// Number of skipped updates in the current state, across restarts.
  std::int64_t num_skipped() const { return num_skipped_; }
  /// Starts over with a state in which this many updates were skipped.
  void restart(std::int64_t num_skipped) { num_skipped_ = num_skipped; }

  /// True if the run must go back; the current state is lost.
  bool must_rewind() const { return bad_step_.has_value(); }
  /// Begins going back. Returns the step to leave out.
  std::int64_t begin_rewind();

 private:
  void handle_bad_step(const StepMetrics& metrics, std::int64_t batch);

  NonFiniteConfig config_;
  Explain explain_;
  std::int64_t num_skipped_ = 0;
  std::int64_t num_skipped_in_row_ = 0;
  std::int64_t last_skipped_step_ = -1;
  std::int64_t num_rewinds_ = 0;
  std::optional<std::int64_t> bad_step_;  // because of which the run must go back
};

}  // namespace meshwright::train
