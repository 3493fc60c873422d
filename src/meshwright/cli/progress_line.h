// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace meshwright::cli {

/// A line on stderr that is rewritten while a command works. Shows nothing unless stderr is a
/// terminal. The destructor clears it.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Replaces the line, at most five times a second; `text` is called only then.
  void show(const std::function<std::string()>& text);

 private:
  const bool is_terminal_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace meshwright::cli
