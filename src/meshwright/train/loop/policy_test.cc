// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/loop/policy.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

std::vector<std::int64_t> due_steps(const PolicyConfig& config, std::int64_t max_step) {
  Policy policy(config);
  std::vector<std::int64_t> out;
  for (std::int64_t step = 1; step <= max_step; ++step) {
    if (policy.is_due({.step = step, .max_step = max_step, .seconds = double(step)}))
      out.push_back(step);
  }
  return out;
}

using Steps = std::vector<std::int64_t>;

TEST(Policy, EveryN) {
  EXPECT_EQ(due_steps(EveryN{.n = 3}, 10), (Steps{3, 6, 9}));
  EXPECT_EQ(due_steps(EveryN{.n = 3, .min_step = 5}, 10), (Steps{6, 9}));
  EXPECT_EQ(due_steps(EveryN{.n = 3, .and_last = true}, 10), (Steps{3, 6, 9, 10}));
  EXPECT_EQ(due_steps(EveryN{.n = 5, .except_last = true}, 10), (Steps{5}));
}

TEST(Policy, ItsTimeDropsWhatIsCloseToTheEnd) {
  EXPECT_EQ(due_steps(ItsTime{.n = 8}, 17), (Steps{1, 8, 17}));
  EXPECT_EQ(due_steps(ItsTime{.n = 8, .first = false}, 18), (Steps{8, 16, 18}));
}

TEST(Policy, StepsAndTime) {
  EXPECT_EQ(due_steps(FirstSteps{.count = 2}, 5), (Steps{1, 2}));
  EXPECT_EQ(due_steps(AtSteps{.steps = {2, 4}}, 5), (Steps{2, 4}));
  EXPECT_EQ(due_steps(AtLast{}, 5), (Steps{5}));
  EXPECT_EQ(due_steps(EverySeconds{.seconds = 2.5}, 10), (Steps{3, 6, 9}));
}

TEST(Policy, EveryBecomesStepsOnceTheRunsLengthIsKnown) {
  const optim::RunLength run{
      .total_steps = 200, .batch_examples = 8, .epoch_examples = [] { return 80; }};
  const When when = in_steps({Every{.duration = optim::parse_duration("2 epochs")},
                              Every{.duration = optim::parse_duration("10%"), .and_last = false},
                              Every{.duration = 7}, AtLast{}},
                             run, "log");
  EXPECT_EQ(due_steps(when.at(0), 50), (Steps{20, 40, 50}));
  EXPECT_EQ(due_steps(when.at(1), 50), (Steps{20, 40}));
  EXPECT_EQ(due_steps(when.at(2), 15), (Steps{7, 14, 15}));
  EXPECT_EQ(due_steps(when.at(3), 5), (Steps{5}));
  EXPECT_THROW(in_steps({Every{.duration = 0}}, run, "log"), Error);
  EXPECT_THROW(in_steps({Every{.duration = optim::parse_duration("2 epochs")}}, {}, "log"), Error);
  EXPECT_THROW(Policy(Every{.duration = 7}), Error);
}

TEST(Policy, NothingButAtStartIsDueWhereARunIsResumed) {
  Boundary resumed{.step = 6, .start = 6, .is_start = true, .is_fresh = false, .max_step = 12};
  EXPECT_FALSE(Policy(EveryN{.n = 3}).is_due(resumed));
  EXPECT_FALSE(Policy(AtStart{}).is_due(resumed));
  EXPECT_TRUE(Policy(AtStart{.resumed = true}).is_due(resumed));
}

TEST(Policy, BestMetricNeedsItsMetric) {
  Policy policy(BestMetric{.evaluator = "held_out", .metric = "accuracy"});
  EXPECT_FALSE(policy.is_due({.step = 1}));
  EXPECT_FALSE(policy.is_due({.step = 1, .results = {{"held_out_2/accuracy", 1}}}));
  EXPECT_THROW(policy.is_due({.step = 1, .results = {{"held_out/loss", 1}}}), Error);
}

TEST(Policy, BestMetricIsTheLargestOrTheSmallestButNeverNan) {
  auto due = [](Better mode, const std::vector<double>& values) {
    Policy policy(BestMetric{.evaluator = "a", .metric = "b", .mode = mode});
    Steps out;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto step = static_cast<std::int64_t>(i);
      if (policy.is_due({.step = step, .results = {{"a/b", values[i]}}})) out.push_back(step);
    }
    return out;
  };
  const double nan = std::nan("");
  EXPECT_EQ(due(Better::max, {nan, 2, 2, 1, nan, 3}), (Steps{1, 5}));
  EXPECT_EQ(due(Better::min, {nan, 2, 2, 3, nan, 1}), (Steps{1, 5}));
}

TEST(Policy, CountsFromWhereThisProcessBegan) {
  auto due = [](const PolicyConfig& config) {
    Policy policy(config);
    Steps out;
    for (std::int64_t step = 5; step <= 12; ++step) {
      if (policy.is_due({.step = step, .start = 5, .is_start = step == 5})) out.push_back(step);
    }
    return out;
  };
  EXPECT_EQ(due(EveryN{.n = 3, .from_start = true}), (Steps{8, 11}));
  EXPECT_EQ(due(FirstSteps{.count = 2, .from_start = true}), (Steps{6, 7}));
  EXPECT_EQ(due(FirstSteps{.count = 6}), (Steps{6}));
}

TEST(Policy, RefusesPeriodsThatArePointless) {
  EXPECT_THROW(Policy(EveryN{.n = 0}), Error);
  EXPECT_THROW(Policy(EverySeconds{.seconds = 0}), Error);
}

}  // namespace
}  // namespace meshwright::train
