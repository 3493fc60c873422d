// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "meshwright/base/log_prefix.h"
#include "meshwright/base/printable.h"

namespace meshwright {
namespace {

// Never destroyed, because messages may arrive while the process exits. The mutex is recursive
// because a handler, which runs under the lock, may log too.
std::recursive_mutex& log_mutex() {
  static auto& mutex = *new std::recursive_mutex;
  return mutex;
}

template <typename Function>
Function& current() {
  static auto& function = *new Function;
  return function;
}

template <typename Function>
Function get() {
  std::lock_guard lock(log_mutex());
  return current<Function>();
}

template <typename Function>
Function exchange(Function next) {
  std::lock_guard lock(log_mutex());
  return std::exchange(current<Function>(), std::move(next));
}

}  // namespace

std::string log_line(Severity severity, std::string_view message) {
  const auto prefix = get<LogPrefix>();
  return str(prefix ? prefix() : "", severity == Severity::warning ? "warning: " : "", message,
             "\n");
}

void log_message(Severity severity, std::string_view message) {
  {
    std::lock_guard lock(log_mutex());
    // Copies the handler, since it may replace itself.
    if (const auto handler = current<LogHandler>()) return handler(severity, message);
  }
  const std::string line = log_line(severity, printable_message(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ScopedLogHandler::ScopedLogHandler(LogHandler handler) : previous_(exchange(std::move(handler))) {}

ScopedLogHandler::~ScopedLogHandler() {
  exchange(std::move(previous_));
}

ScopedLogPrefix::ScopedLogPrefix(LogPrefix prefix) : previous_(exchange(std::move(prefix))) {}

ScopedLogPrefix::~ScopedLogPrefix() {
  exchange(std::move(previous_));
}

}  // namespace meshwright
