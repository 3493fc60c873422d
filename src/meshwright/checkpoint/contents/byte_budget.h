// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace meshwright::checkpoint {

/// A memory budget shared by threads. A request larger than the whole budget is granted when
/// nothing else is held.
class ByteBudget {
 public:
  explicit ByteBudget(std::uint64_t max_bytes) : max_bytes_(max_bytes), free_(max_bytes) {}

  /// Holds part of the budget for its lifetime.
  class Share {
   public:
    /// Blocks until the bytes are available.
    Share(ByteBudget& budget, std::uint64_t num_bytes)
        : budget_(budget), num_bytes_(std::min(num_bytes, budget.max_bytes_)) {
      std::unique_lock lock(budget_.mutex_);
      budget_.changed_.wait(lock, [this] { return budget_.free_ >= num_bytes_; });
      budget_.free_ -= num_bytes_;
    }
    ~Share() {
      {
        std::lock_guard lock(budget_.mutex_);
        budget_.free_ += num_bytes_;
      }
      budget_.changed_.notify_all();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    ByteBudget& budget_;
    const std::uint64_t num_bytes_;
  };

 private:
  const std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t free_;
};

}  // namespace meshwright::checkpoint
