// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>

#include "meshwright/base/log.h"

namespace meshwright {

/// During its lifetime, captures the log messages of all threads, one per line.
class CapturedLog {
 public:
  std::string text() const {
    std::lock_guard lock(mutex_);
    return text_;
  }
  void clear() {
    std::lock_guard lock(mutex_);
    text_.clear();
  }
  /// Blocks, without a timeout, until `part` has been logged since construction or the last
  /// clear().
  void wait_for(std::string_view part) const {
    std::unique_lock lock(mutex_);
    logged_.wait(lock, [&] { return text_.find(part) != std::string::npos; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable logged_;
  std::string text_;
  ScopedLogHandler handler_{[this](Severity, std::string_view message) {
    std::lock_guard lock(mutex_);
    text_.append(message).push_back('\n');
    logged_.notify_all();
  }};
};

}  // namespace meshwright
