// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/console.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "meshwright/base/counted.h"
#include "meshwright/metrics/format.h"

namespace meshwright::metrics {
namespace {

constexpr double kSecondsPerFrame = 0.1;
constexpr std::string_view kEraseLine = "\r\x1b[K";

void write_to_stderr(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

std::optional<int> terminal_width() {
  if (::isatty(STDERR_FILENO) == 0) return std::nullopt;
  const char* kind = std::getenv("TERM");
  if (kind != nullptr && std::string_view(kind) == "dumb") return std::nullopt;
  winsize size{};
  const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_known ? size.ws_col : 80;
}

std::string progress_bar(std::int64_t step,
                         std::int64_t max_step,
                         std::string_view eta,
                         int width) {
  const double done =
      max_step > 0 ? std::clamp(static_cast<double>(step) / static_cast<double>(max_step), 0.0, 1.0)
                   : 1;
  const std::string right = str(static_cast<int>(100 * done), "%  step ", with_separators(step),
                                "/", with_separators(max_step), "  ETA ", eta);
  const int room = std::min(width - static_cast<int>(right.size()) - 5, 40);
  if (room < 5) return right.substr(0, static_cast<std::size_t>(std::max(width - 1, 0)));
  const auto filled = static_cast<std::size_t>(std::lround(done * room));
  std::string bar(filled, '=');
  if (filled > 0 && filled < static_cast<std::size_t>(room)) bar.back() = '>';
  bar.resize(static_cast<std::size_t>(room), ' ');
  return str("[", bar, "] ", right);
}

ConsoleSink::ConsoleSink(ConsoleOptions options)
    : options_(std::move(options)), is_stderr_(!options_.out) {
  if (is_stderr_) options_.out = write_to_stderr;
  if (!options_.width) return;
  messages_ = std::make_unique<ScopedLogHandler>([this](Severity severity, std::string_view text) {
    print_above_bar(log_line(severity, text));
  });
}

ConsoleSink::~ConsoleSink() {
  messages_.reset();
  if (!bar_.empty()) options_.out(kEraseLine);
}

int ConsoleSink::width() const {
  return is_stderr_ ? terminal_width().value_or(*options_.width) : *options_.width;
}

void ConsoleSink::print_above_bar(std::string_view line) {
  std::lock_guard lock(mutex_);
  options_.out(str(bar_.empty() ? "" : kEraseLine, line, bar_));
}

void ConsoleSink::write(const Record& record) {
  if (!options_.width || !options_.max_step) return;
  std::lock_guard lock(mutex_);
  if (std::abs(record.wall_seconds - bar_seconds_) < kSecondsPerFrame) return;
  bar_seconds_ = record.wall_seconds;
  bar_ = progress_bar(record.step, *options_.max_step, eta_, width());
  options_.out(str(kEraseLine, bar_));
}

void ConsoleSink::report(const Progress& progress) {
  {
    std::lock_guard lock(mutex_);
    eta_ = duration(seconds_left(progress).value_or(-1));
  }
  log_info(line_of(progress));
}

}  // namespace meshwright::metrics
