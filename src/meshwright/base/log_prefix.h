// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace meshwright {

/// Says what lines of the log begin with.
using LogPrefix = std::function<std::string()>;

/// Puts a prefix before what log_line() gives while it lives. Any thread may ask for it.
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
