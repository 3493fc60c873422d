// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/verbosity.h"

#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"

namespace meshwright {
namespace {

TEST(Verbosity, TellsWhatIsAtMostOfItsLevel) {
  CapturedLog log;
  note_at(1, "never");
  {
    ScopedVerbosity two(2);
    note_at(2, "two ", 2);
    note_at(3, "never");
    {
      ScopedVerbosity three(3);
      note_at(3, "three");
    }
    note_at(3, "never");
  }
  note_at(1, "never");
  EXPECT_EQ(log.text(), "two 2\nthree\n");
}

}  // namespace
}  // namespace meshwright
