// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "meshwright/base/task_group.h"

namespace meshwright::checkpoint {

/// Like a TaskGroup, but with one thread it runs each task immediately on the caller's thread.
class Tasks {
 public:
  explicit Tasks(int max_threads) {
    if (max_threads > 1) group_.emplace(max_threads);
  }

  void run(std::function<void()> task) {
    if (group_) {
      group_->run(std::move(task));
    } else {
      task();
    }
  }
  void join() {
    if (group_) group_->join();
  }

 private:
  std::optional<TaskGroup> group_;
};

/// Returns 1 for small amounts of data: starting a thread costs more than reading a few small
/// files.
inline int threads_for(std::uint64_t num_bytes, int max_threads) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
  return num_bytes < kSmall ? 1 : max_threads;
}

}  // namespace meshwright::checkpoint
