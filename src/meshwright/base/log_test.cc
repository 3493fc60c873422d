// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/log.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace meshwright
