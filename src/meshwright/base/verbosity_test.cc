// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/verbosity.h"

#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"

namespace meshwright {
namespace {

TEST(Verbosity, TellsWhatIsAtMostOfItsLevel) {
  CapturedLog log;
  log_at(1, "never");
  {
    ScopedVerbosity two(2);
    log_at(2, "two ", 2);
    log_at(3, "never");
    {
      ScopedVerbosity three(3);
      log_at(3, "three");
    }
    log_at(3, "never");
  }
  log_at(1, "never");
  EXPECT_EQ(log.text(), "two 2\nthree\n");
}

}  // namespace
}  // namespace meshwright
