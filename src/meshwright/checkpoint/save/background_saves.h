// SPDX-License-Identifier: Apache-2.0
// Runs one save at a time on its own thread and reports the result.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "meshwright/base/background.h"

namespace meshwright::checkpoint {

/// Not thread-safe. The destructor waits for a save in progress.
class BackgroundSaves {
 public:
  /// `place` names the folder in messages.
  BackgroundSaves(std::string place, std::int64_t max_failed)
      : place_(std::move(place)), max_failed_(max_failed) {}
  ~BackgroundSaves() { wait(); }
  BackgroundSaves(const BackgroundSaves&) = delete;
  BackgroundSaves& operator=(const BackgroundSaves&) = delete;

  /// Starts a save. None may be running.
  void start(std::int64_t step, std::function<void()> save);
  bool is_running() const { return running_.has_value(); }
  /// Step of the last save started.
  std::int64_t step() const { return step_; }

  /// Collects a save that has ended and warns if it failed. Throws unavailable after `max_failed`
  /// consecutive failures.
  void poll();
  /// Waits for the save in progress and collects it.
  void wait();
  /// Waits. Throws unavailable if the last save failed.
  void finish();

 private:
  void record_end();

  std::string place_;
  std::int64_t max_failed_;
  std::int64_t step_ = -1;
  std::int64_t num_failed_ = 0;
  std::string last_failure_;
  std::optional<Background<void>> running_;
};

}  // namespace meshwright::checkpoint
