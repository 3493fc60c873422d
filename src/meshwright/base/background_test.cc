// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/background.h"

#include <latch>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"
#include "meshwright/base/log_testutil.h"

namespace meshwright {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

int fails() {
  throw Error(ErrorCode::unavailable, "the disk is gone");
}

TEST(Background, ReturnsItsResultAtEveryCall) {
  const Background<std::string> task([] { return std::string("done"); });
  EXPECT_EQ(task.get(), "done");
  EXPECT_EQ(task.get(), "done");
}

TEST(Background, RunsWhileOtherWorkGoesOn) {
  std::latch may_end(1);
  const Background<void> task([&] { may_end.wait(); });
  EXPECT_FALSE(task.is_ready());
  may_end.count_down();
  task.get();
  EXPECT_TRUE(task.is_ready());
}

TEST(Background, ThrowsItsErrorAtEveryCall) {
  const CapturedLog log;
  {
    const Background<int> task(fails);
    EXPECT_EQ(message_of([&] { task.get(); }), "the disk is gone");
    EXPECT_EQ(message_of([&] { task.get(); }), "the disk is gone");
  }
  EXPECT_THAT(log.text(), IsEmpty());
}

TEST(Background, WarnsOfAnErrorThatNobodyAskedFor) {
  const CapturedLog log;
  { const Background<int> task(fails); }
  EXPECT_THAT(log.text(), HasSubstr("never read: the disk is gone"));
}

TEST(Background, IsWaitedForWhenItIsDestroyed) {
  bool has_run = false;
  {
    const Background<void> task([&] { has_run = true; });
  }
  EXPECT_TRUE(has_run);
}

TEST(Background, WaitsForTheTaskThatItReplaces) {
  const CapturedLog log;
  Background<int> task(fails);
  task = Background<int>([] { return 2; });
  EXPECT_THAT(log.text(), HasSubstr("the disk is gone"));
  EXPECT_EQ(task.get(), 2);
}

}  // namespace
}  // namespace meshwright
