// SPDX-License-Identifier: Apache-2.0
// More lines for people, for who wants to know what exactly a run does.
#pragma once

#include "meshwright/base/log.h"

namespace meshwright {

/// 0: nothing more. 1: single decisions, such as what is compiled, read, not differentiated; 2: and
/// what happens at boundaries between steps; 3: and each step.
int verbosity();

/// Of all threads, while it lives.
class ScopedVerbosity {
 public:
  explicit ScopedVerbosity(int level);
  ~ScopedVerbosity();
  ScopedVerbosity(const ScopedVerbosity&) = delete;
  ScopedVerbosity& operator=(const ScopedVerbosity&) = delete;

 private:
  int previous_;
};

/// A note, told from this level on.
template <typename... Parts>
void note_at(int level, const Parts&... parts) {
  if (verbosity() >= level) note(parts...);
}

}  // namespace meshwright
