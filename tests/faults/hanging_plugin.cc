// SPDX-License-Identifier: Apache-2.0
// A library that hangs while it is loaded, as some plugins do for minutes.
#include <unistd.h>

namespace {

[[gnu::constructor]] void hang() {
  for (;;)
    pause();
}

}  // namespace
