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

/// Returns the width of the terminal on stderr; nullopt if there is none, or if it is dumb
/// (TERM=dumb).
std::optional<int> terminal_width();

struct ConsoleOptions {
  std::optional<std::int64_t> max_step = {};
  /// Width of the terminal. If present, shows a progress bar below the log lines; on stderr,
  /// changes in width are tracked. If absent, writes lines only.
  std::optional<int> width = terminal_width();
  /// Writes to the terminal. Defaults to writing to stderr.
  std::function<void(std::string_view)> out = {};
};

/// Prints a line per report, as an info message (base/log.h). On a terminal it also shows a
/// progress bar that every record updates, at most ten times a second; log messages then appear
/// above it.
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

/// Returns text such as "[=====>    ]  55%  step 550/1,000  ETA 42s", at most `width` characters
/// long.
std::string progress_bar(std::int64_t step, std::int64_t max_step, std::string_view eta, int width);

}  // namespace meshwright::metrics
