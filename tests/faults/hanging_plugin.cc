// SPDX-License-Identifier: Apache-2.0
// A library that never returns from being loaded, as some plugins do not for minutes.
#include <unistd.h>

namespace {

[[gnu::constructor]] void hang() {
  for (;;)
    pause();
}

}  // namespace
