// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace meshwright::config_keys {

/// Detects whether several threads run concurrently.
class Meeting {
 public:
  /// The first thread waits here briefly for a second one.
  void join() {
    std::unique_lock lock(mutex_);
    if (is_over_) return;
    threads_.insert(std::this_thread::get_id());
    joined_.notify_all();
    joined_.wait_for(lock, std::chrono::seconds(2), [this] { return threads_.size() > 1; });
    is_over_ = true;
  }
  std::string text() const { return threads_.size() > 1 ? "several threads" : "one thread"; }

 private:
  std::mutex mutex_;
  std::condition_variable joined_;
  std::set<std::thread::id> threads_;
  bool is_over_ = false;
};

}  // namespace meshwright::config_keys
