// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/wait_time.h"

#include <limits>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

TEST(WaitTime, IsTheSameTimeWhereAClockCanCountIt) {
  EXPECT_EQ(wait_time(0.25), milliseconds(250));
  EXPECT_EQ(wait_time(3600), hours(1));
  EXPECT_EQ(wait_time(0), hours(0));
}

TEST(WaitTime, EndsInTheFutureHoweverLongItIs) {
  for (double seconds : {1e9, 1e10, 1e19, 1e300, std::numeric_limits<double>::infinity()}) {
    EXPECT_GT(wait_time(seconds), hours(24 * 365)) << seconds;
    EXPECT_GT(Clock::now() + wait_time(seconds), Clock::now() + hours(24 * 365)) << seconds;
  }
}

TEST(WaitTime, OfNothingThatIsATimeIsNone) {
  EXPECT_EQ(wait_time(-1e300), hours(0));
  EXPECT_EQ(wait_time(std::numeric_limits<double>::quiet_NaN()), hours(0));
}

}  // namespace
}  // namespace meshwright
