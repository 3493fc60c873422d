// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/non_finite_guard.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log_testutil.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {
namespace {

using testing::HasSubstr;

class NonFiniteGuardTest : public testing::Test {
 protected:
  // Notes a step with this total of skipped updates.
  static void hear(NonFiniteGuard& guard, std::int64_t step, float num_skipped, float loss = 1) {
    StepMetrics metrics{.step = step, .values = std::vector<float>(3), .report = {}};
    metrics.values[kLossMetric] = loss;
    metrics.values[kNumSkippedMetric] = num_skipped;
    guard.record(metrics, step + 100);
  }

  CapturedLog log_;
};

TEST_F(NonFiniteGuardTest, StopsAtTheFirst) {
  NonFiniteGuard guard({.action = OnNonFinite::stop});
  hear(guard, 1, 0);
  EXPECT_THAT(message_of([&] { hear(guard, 2, 1); }),
              HasSubstr("step 2: with batch 102 the gradients are not finite"));
  guard.restart(1);
  hear(guard, 3, 1);  // skipped before the restart
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(message_of([&] { hear(guard, 4, 2, nan); }), HasSubstr("the loss is nan"));
}

TEST_F(NonFiniteGuardTest, SkipsSoManyInARow) {
  NonFiniteGuard guard({.action = OnNonFinite::skip, .max_times = 2});
  hear(guard, 1, 1);
  hear(guard, 2, 2);
  hear(guard, 3, 2);
  hear(guard, 4, 3);
  hear(guard, 5, 4);
  EXPECT_EQ(count(log_.text(), "the batch is skipped"), 4);
  EXPECT_EQ(guard.num_skipped(), 4);
  EXPECT_FALSE(guard.must_rewind());
  EXPECT_THAT(message_of([&] { hear(guard, 6, 5); }), HasSubstr("more often than allowed"));
}

TEST_F(NonFiniteGuardTest, RewindsForTheFirstOfSeveralAndNotTooOften) {
  NonFiniteGuard guard({.action = OnNonFinite::rewind, .max_times = 1});
  hear(guard, 7, 1);
  hear(guard, 8, 2);  // the devices ran ahead
  EXPECT_TRUE(guard.must_rewind());
  EXPECT_EQ(guard.begin_rewind(), 7);
  guard.restart(0);
  EXPECT_FALSE(guard.must_rewind());
  EXPECT_EQ(count(log_.text(), "rewinding"), 1);
  EXPECT_THAT(message_of([&] { hear(guard, 7, 1); }), HasSubstr("more often than allowed"));
}

}  // namespace
}  // namespace meshwright::train
