// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/progress_line.h"

#include <iostream>

#include <unistd.h>

namespace meshwright::cli {
namespace {

constexpr std::chrono::milliseconds kInterval{200};
constexpr std::size_t kMaxWidth = 78;  // a longer line could not be cleared
constexpr char kClear[] = "\r\x1b[K";

}  // namespace

ProgressLine::ProgressLine() : is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) std::cerr << kClear << std::flush;
}

void ProgressLine::show(const std::function<std::string()>& text) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  std::string line = text();
  if (line.size() > kMaxWidth) line.resize(kMaxWidth);
  std::cerr << kClear << line << std::flush;
  is_shown_ = true;
}

}  // namespace meshwright::cli
