// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/report/pace.h"

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

class PaceTest : public testing::Test {
 protected:
  Pace pace(const StepWork& work) {
    return Pace(work, [this] { return now_; });
  }
  double now_ = 100;
};

TEST_F(PaceTest, IsThatOfTheStepsSinceTheLastReport) {
  Pace pace = this->pace({.num_examples = 8, .num_flops = 1e9, .peak_flops = 1e10});
  pace.restart(1000, 5);  // a resumed run
  now_ += 2;
  metrics::Progress first = pace.report(1010, 5.5);
  EXPECT_DOUBLE_EQ(first.seconds_per_step.value(), 0.2);
  EXPECT_DOUBLE_EQ(first.items_per_second.value(), 40);
  EXPECT_EQ(first.items, "examples");
  EXPECT_DOUBLE_EQ(first.flops_per_second.value(), 5e9);
  EXPECT_DOUBLE_EQ(first.mfu.value(), 0.5);
  EXPECT_DOUBLE_EQ(first.wait_fraction.value(), 0.25);
  now_ += 1;
  EXPECT_DOUBLE_EQ(pace.report(1020, 5.5).seconds_per_step.value(), 0.1);
}

TEST_F(PaceTest, CountsTokensWhereThereAreAny) {
  Pace pace = this->pace({.num_examples = 8, .num_tokens = 80});
  now_ += 1;
  metrics::Progress progress = pace.report(1, 0);
  EXPECT_EQ(progress.items, "tokens");
  EXPECT_DOUBLE_EQ(progress.items_per_second.value(), 80);
  EXPECT_EQ(progress.mfu, std::nullopt);
}

TEST_F(PaceTest, APauseDoesNotCount) {
  Pace pace = this->pace({.num_examples = 1});
  now_ += 1;
  {
    Pace::Pause pause(pace);
    now_ += 50;
  }
  now_ += 1;
  EXPECT_DOUBLE_EQ(pace.report(2, 0).seconds_per_step.value(), 1);
}

// The host has started a step or two whose duration is unknown yet.
TEST_F(PaceTest, IsUnknownBeforeAStepIsFinishedAndCountsFromTheStart) {
  Pace pace = this->pace({.num_examples = 1});
  now_ += 1;
  EXPECT_EQ(pace.report(0, 0).seconds_per_step, std::nullopt);
  now_ += 3;
  EXPECT_DOUBLE_EQ(pace.report(2, 0).seconds_per_step.value(), 2);
}

}  // namespace
}  // namespace meshwright::train
