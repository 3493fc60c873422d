// SPDX-License-Identifier: Apache-2.0
// One save at a time in another thread, and what became of it.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <utility>

namespace meshwright::checkpoint {

/// Used by one thread. Waits when it goes away.
class BackgroundSaves {
 public:
  /// `place` is where there may be no room, for messages.
  BackgroundSaves(std::string place, std::int64_t max_failed)
      : place_(std::move(place)), max_failed_(max_failed) {}
  ~BackgroundSaves() { wait(); }
  BackgroundSaves(const BackgroundSaves&) = delete;
  BackgroundSaves& operator=(const BackgroundSaves&) = delete;

  /// None may be running.
  void start(std::int64_t step, std::function<void()> save);
  bool is_running() const { return running_.valid(); }
  /// Of the last one started.
  std::int64_t step() const { return step_; }

  /// Takes note of one that has ended; a failure is a warning. Throws unavailable after
  /// `max_failed` in a row.
  void poll();
  /// Waits for its end and takes note of it.
  void wait();
  /// Waits. Throws unavailable if the last one failed.
  void finish();

 private:
  void note_end();

  std::string place_;
  std::int64_t max_failed_;
  std::int64_t step_ = -1;
  std::int64_t num_failed_ = 0;
  std::string last_failure_;
  std::future<void> running_;
};

}  // namespace meshwright::checkpoint
