// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace meshwright {

/// Returns the prefix of a log line.
using LogPrefix = std::function<std::string()>;

/// Prefixes each line that log_line() returns for the lifetime of this object. The prefix function
/// may be called on any thread.
class ScopedLogPrefix {
 public:
  explicit ScopedLogPrefix(LogPrefix prefix);
  ~ScopedLogPrefix();
  ScopedLogPrefix(const ScopedLogPrefix&) = delete;
  ScopedLogPrefix& operator=(const ScopedLogPrefix&) = delete;

 private:
  LogPrefix previous_;
};

}  // namespace meshwright
