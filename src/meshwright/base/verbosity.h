// SPDX-License-Identifier: Apache-2.0
// Verbosity: how much detail a run logs.
#pragma once

#include "meshwright/base/log.h"

namespace meshwright {

/// Returns the current level. 0: no details. 1: individual decisions, such as what is compiled,
/// read, or not differentiated. 2: also events between steps. 3: also every step.
int verbosity();

/// Sets the level for all threads for the lifetime of this object.
class ScopedVerbosity {
 public:
  explicit ScopedVerbosity(int level);
  ~ScopedVerbosity();
  ScopedVerbosity(const ScopedVerbosity&) = delete;
  ScopedVerbosity& operator=(const ScopedVerbosity&) = delete;

 private:
  int previous_;
};

/// Logs an info message if the verbosity is at least `level`.
template <typename... Parts>
void log_at(int level, const Parts&... parts) {
  if (verbosity() >= level) log_info(parts...);
}

}  // namespace meshwright
