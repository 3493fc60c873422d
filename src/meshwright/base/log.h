// SPDX-License-Identifier: Apache-2.0
// Human-readable diagnostics, on stderr. Machine-readable output goes to stdout instead.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/base/str.h"

namespace meshwright {

enum class Severity {
  info,     // progress information
  warning,  // a problem that does not stop the program
};

/// Receives one message, without a newline. Calls may come from any thread, but only one at a time,
/// and end before the handler is removed.
using LogHandler = std::function<void(Severity severity, std::string_view message)>;

/// Returns "warning: <message>" or "<message>", followed by a newline.
std::string log_line(Severity severity, std::string_view message);

/// Passes the message to the current handler. Without one, writes log_line() to stderr in a single
/// write.
void log_message(Severity severity, std::string_view message);

/// Redirects log messages for the lifetime of this object. For tests, and for programs that use the
/// library.
class ScopedLogHandler {
 public:
  explicit ScopedLogHandler(LogHandler handler);
  ~ScopedLogHandler();
  ScopedLogHandler(const ScopedLogHandler&) = delete;
  ScopedLogHandler& operator=(const ScopedLogHandler&) = delete;

 private:
  LogHandler previous_;
};

template <typename... Parts>
void log_warning(const Parts&... parts) {
  log_message(Severity::warning, str(parts...));
}

template <typename... Parts>
void log_info(const Parts&... parts) {
  log_message(Severity::info, str(parts...));
}

}  // namespace meshwright
