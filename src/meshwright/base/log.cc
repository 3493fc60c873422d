// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/log.h"

#include <cstdio>
#include <mutex>
#include <utility>

#include "meshwright/base/printable.h"

namespace meshwright {
namespace {

std::mutex& handler_mutex() {
  static auto& mutex = *new std::mutex;  // messages may come while the process exits
  return mutex;
}

LogHandler& handler() {
  static auto& handler = *new LogHandler;
  return handler;
}

LogHandler exchange_handler(LogHandler next) {
  std::lock_guard lock(handler_mutex());
  return std::exchange(handler(), std::move(next));
}

}  // namespace

std::string log_line(Severity severity, std::string_view message) {
  return str(severity == Severity::warning ? "warning: " : "", message, "\n");
}

void log_message(Severity severity, std::string_view message) {
  LogHandler current;
  {
    std::lock_guard lock(handler_mutex());
    current = handler();
  }
  if (current) {
    current(severity, message);
    return;
  }
  std::string line = log_line(severity, printable_message(message));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

ScopedLogHandler::ScopedLogHandler(LogHandler next)
    : previous_(exchange_handler(std::move(next))) {}

ScopedLogHandler::~ScopedLogHandler() {
  exchange_handler(std::move(previous_));
}

}  // namespace meshwright
