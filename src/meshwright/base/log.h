// SPDX-License-Identifier: Apache-2.0
// Lines for people, on stderr. What a program reads goes to stdout and is no log.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "meshwright/base/str.h"

namespace meshwright {

enum class Severity {
  note,     // what is going on
  warning,  // it goes on, but somebody should know
};

/// Gets one message without a line end. Any thread may call it, one at a time, and none does any
/// more when it has been taken away.
using LogHandler = std::function<void(Severity severity, std::string_view message)>;

/// "warning: <message>" or "<message>", with a line end.
std::string log_line(Severity severity, std::string_view message);

/// Writes "warning: <message>" or "<message>" to stderr, each in one piece, or hands it to the
/// handler that is set.
void log_message(Severity severity, std::string_view message);

/// Sends messages elsewhere while it lives. For tests, and for programs that use the library.
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
void warn(const Parts&... parts) {
  log_message(Severity::warning, str(parts...));
}

template <typename... Parts>
void note(const Parts&... parts) {
  log_message(Severity::note, str(parts...));
}

}  // namespace meshwright
