// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "meshwright/base/log.h"
#include "meshwright/metrics/bus.h"

namespace meshwright::metrics {

/// The width of the terminal behind stderr; absent if there is none, or one that can do nothing but
/// lines (TERM=dumb).
std::optional<int> terminal_width();

struct ConsoleOptions {
  std::optional<std::int64_t> max_step = {};
  /// A terminal of this width gets a progress bar below the lines; without one there are only
  /// lines. That of stderr may become wider or narrower.
  std::optional<int> width = terminal_width();
  /// Writes to the terminal; absent: to stderr.
  std::function<void(std::string_view)> out = {};
};

/// A line per report, as a note (see base/log.h). On a terminal also a bar, moved by every record,
/// at most ten times a second; while it is there, the messages of others are put above it.
class ConsoleSink : public Sink {
 public:
  explicit ConsoleSink(ConsoleOptions options);
  ~ConsoleSink() override;

  std::string name() const override { return "console"; }
  void write(const Record& record) override;
  void report(const Progress& progress) override;

 private:
  void print_above_bar(std::string_view line);
  int width() const;

  ConsoleOptions options_;
  bool is_stderr_;
  std::mutex mutex_;  // messages come from any thread
  std::string bar_;
  double bar_seconds_ = 0;
  std::string eta_ = "n/a";
  std::unique_ptr<ScopedLogHandler> messages_;
};

/// "[=====>    ]  55%  step 550/1,000  ETA 42s", `width` characters at most.
std::string progress_bar(std::int64_t step, std::int64_t max_step, std::string_view eta, int width);

}  // namespace meshwright::metrics
