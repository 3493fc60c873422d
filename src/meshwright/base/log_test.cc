// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/log.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_prefix.h"

namespace meshwright {
namespace {

TEST(Log, WritesWarningsAndNotesToStderr) {
  testing::internal::CaptureStderr();
  warn("step ", 3, " is late");
  note("all is well");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "warning: step 3 is late\nall is well\n");
}

TEST(Log, HandsMessagesToTheInnermostHandler) {
  std::vector<std::string> outer;
  std::vector<std::string> inner;
  ScopedLogHandler first([&](Severity, std::string_view text) { outer.emplace_back(text); });
  {
    ScopedLogHandler second([&](Severity, std::string_view text) { inner.emplace_back(text); });
    warn("one");
  }
  note("two");
  EXPECT_THAT(inner, testing::ElementsAre("one"));
  EXPECT_THAT(outer, testing::ElementsAre("two"));
}

TEST(Log, LinesBeginWithThePrefixThatIsSet) {
  int step = 0;
  {
    ScopedLogPrefix prefix([&] { return str("step ", ++step, "] "); });
    testing::internal::CaptureStderr();
    warn("late");
    note("fine");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "step 1] warning: late\nstep 2] fine\n");
  }
  EXPECT_EQ(log_line(Severity::note, "fine"), "fine\n");
}

}  // namespace
}  // namespace meshwright
