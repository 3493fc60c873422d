// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/retention/retention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/checkpoint/checkpoint_testutil.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/pins.h"
#include "meshwright/checkpoint/formats/all_formats.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/io/io_testutil.h"
#include "meshwright/io/memory_file_system.h"
#include "meshwright/io/path.h"
#include "meshwright/metrics/event_proto.h"

namespace meshwright::checkpoint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<CheckpointFacts> steps(const std::vector<std::int64_t>& numbers) {
  std::vector<CheckpointFacts> out;
  for (std::int64_t number : numbers)
    out.push_back({.step = number});
  return out;
}

const KeepBest kLargest{.evaluator = "held_out", .metric = "accuracy"};

TEST(Retention, KeepsTheNewest) {
  EXPECT_THAT(steps_to_remove(steps({1, 2, 3, 4}), {.keep_last_n = 3}), ElementsAre(1));
  EXPECT_THAT(steps_to_remove(steps({1, 2}), {.keep_last_n = 3}), IsEmpty());
  EXPECT_THAT(steps_to_remove({}, {}), IsEmpty());
}

TEST(Retention, NeverLeavesNothing) {
  EXPECT_THAT(steps_to_remove(steps({3, 6}), {.keep_last_n = 0}), ElementsAre(3));
  EXPECT_THAT(steps_to_remove(steps({3, 6}), {.keep_last_n = {}}), IsEmpty());
}

TEST(Retention, KeepsOneWheneverSoManyStepsHavePassed) {
  EXPECT_THAT(
      steps_to_remove(steps({2, 3, 5, 7, 8, 13}), {.keep_last_n = 1, .keep_every_n_steps = 4}),
      ElementsAre(3, 5, 8));
}

// Decisions are stable: removed steps do not affect later decisions.
TEST(Retention, DecidesStepByStepAsAtOnce) {
  const Retention rules{.keep_last_n = 2, .keep_every_n_steps = 4};
  std::vector<std::int64_t> there;
  for (std::int64_t step = 1; step <= 20; ++step) {
    there.push_back(step);
    for (std::int64_t gone : steps_to_remove(steps(there), rules))
      std::erase(there, gone);
  }
  EXPECT_THAT(there, ElementsAre(1, 5, 9, 13, 17, 19, 20));
}

TEST(Retention, KeepsOneWheneverSoMuchTimeHasPassed) {
  std::vector<CheckpointFacts> all = {
      {1, 1000}, {2, 1500}, {3, 1600}, {4, std::nullopt}, {5, 1610}};
  EXPECT_THAT(steps_to_remove(all, {.keep_last_n = 1, .keep_every_seconds = 600}),
              ElementsAre(2, 4));
}

// The clock of a machine that lost its time: it jumps by minutes, by years or to its limits.
TEST(Retention, KeepsSomeOfEveryTimeWhateverTheClockSays) {
  constexpr std::int64_t kPeriod = 600;
  constexpr int kNumPeriods = 6;
  const Retention rules{.keep_last_n = 1, .keep_every_seconds = kPeriod};
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<CheckpointFacts> there;
    std::int64_t step = 0;
    for (int jump = 0; jump < 5; ++jump) {
      const std::int64_t reach = std::int64_t{1} << (random() % 62);
      std::int64_t clock = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(reach));
      if (random() % 2 == 0) clock = -clock;
      const std::int64_t first = step + 1;
      // From here on the clock is regular.
      const std::int64_t end = clock + kNumPeriods * kPeriod;
      while (clock < end) {
        there.push_back({.step = ++step, .saved_seconds = clock});
        clock += 1 + static_cast<std::int64_t>(random() % kPeriod);
        for (std::int64_t gone : steps_to_remove(there, rules))
          std::erase_if(there, [&](const CheckpointFacts& s) { return s.step == gone; });
      }
      // One is lost at each end, and a step may come almost a period after it was due.
      const auto num_kept =
          std::ranges::count_if(there, [&](const CheckpointFacts& s) { return s.step >= first; });
      EXPECT_GE(num_kept, (kNumPeriods - 2) / 2) << "seed " << seed << ", jump " << jump;
      EXPECT_LE(num_kept, kNumPeriods + 2) << "seed " << seed << ", jump " << jump;
    }
  }
}

TEST(Retention, OneJumpOfTheClockKeepsWhatIsSavedAfterwards) {
  const std::int64_t twenty_years = 20 * 365 * 86'400;
  std::vector<CheckpointFacts> all;
  for (std::int64_t step = 1; step <= 8; ++step)
    all.push_back({.step = step, .saved_seconds = 600 * step + (step == 3 ? twenty_years : 0)});
  EXPECT_THAT(steps_to_remove(all, {.keep_last_n = 1, .keep_every_seconds = 600}), IsEmpty());
}

TEST(Retention, KeepsTheBest) {
  std::vector<CheckpointFacts> all = steps({1, 2, 3, 4, 5});
  all[0].metric = 0.5;
  all[1].metric = 0.7;
  all[2].metric = std::nan("");
  all[3].metric = 0.7;
  Retention rules{.keep_last_n = 1, .keep_best = kLargest};
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(1, 2, 3));  // the newer of equal ones
  rules.keep_best->n = 2;
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(1, 3));
  rules.keep_best->mode = Better::min;
  rules.keep_best->n = 1;
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(2, 3, 4));
}

TEST(Retention, KeepsTheBestBesidesTheNewest) {
  std::vector<CheckpointFacts> all = steps({1, 2, 3});
  for (CheckpointFacts& step : all)
    step.metric = static_cast<double>(step.step);
  EXPECT_THAT(steps_to_remove(all, {.keep_last_n = 1, .keep_best = kLargest}), ElementsAre(1));
}

TEST(Retention, MayKeepThoseWithoutAMetric) {
  std::vector<CheckpointFacts> all = steps({1, 2, 3, 4, 5});
  all[1].metric = 1;
  all[2].metric = 2;
  Retention rules{.keep_last_n = 1, .keep_best = kLargest};
  rules.keep_best->keep_without_metric = true;
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(2));
  rules.keep_best->keep_without_metric = std::nullopt;
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(1, 2, 4));
  rules.keep_best->n = 3;
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(1));  // without a metric: the oldest first
  rules.keep_best->n = 1;
  rules.keep_best->event_files = "events";
  EXPECT_THAT(steps_to_remove(all, rules), ElementsAre(2));
}

TEST(Retention, KeepsMultiples) {
  EXPECT_THAT(
      steps_to_remove(steps({3, 10, 15, 20, 21, 25}), {.keep_last_n = 1, .keep_multiples_of = 10}),
      ElementsAre(3, 15, 21));
}

TEST(Retention, KeepsWhatAnyRuleKeeps) {
  std::vector<CheckpointFacts> all = steps({1, 2, 3, 4, 5, 6, 7});
  for (CheckpointFacts& step : all)
    step.saved_seconds = step.step * 10;
  all[1].metric = 1;
  EXPECT_THAT(steps_to_remove(all, {.keep_last_n = 1,
                                    .keep_every_n_steps = 3,
                                    .keep_every_seconds = 50,
                                    .keep_best = kLargest}),
              ElementsAre(3, 5));
}

class RetentionOfRuns : public testing::TestWithParam<std::string> {
 protected:
  ManagerOptions options(Retention retention) {
    return {.folder = "memory",
            .format = GetParam(),
            .retention = std::move(retention),
            .files = files,
            .now_seconds = [this] { return now; }};
  }
  // Simulates a run that restarts before each save.
  void save(const Retention& retention,
            const std::vector<std::pair<std::int64_t, std::optional<double>>>& steps) {
    for (const auto& [step, metric] : steps) {
      Manager manager(options(retention));
      manager.save({.step = step, .metric = metric});
      manager.finish();
    }
  }
  std::vector<std::int64_t> left() { return Manager(options({})).steps(); }
  std::string folder(std::int64_t step) const { return format_named(GetParam()).step_name(step); }

  std::shared_ptr<io::MemoryFileSystem> files = std::make_shared<io::MemoryFileSystem>();
  std::int64_t now = 0;
  ScopedLogHandler quiet{[](Severity, std::string_view) {}};
};

// Another program evaluates the checkpoints, later than they are saved.
TEST_P(RetentionOfRuns, TheBestByEventFilesStays) {
  const io::TemporaryFolder events;
  const Retention rules{
      .keep_last_n = 1,
      .keep_best = KeepBest{
          .evaluator = "eval/x", .metric = "accuracy", .event_files = events.path().string()}};
  const auto write = [&](std::int64_t step, double value) {
    const auto folder = io::open_file_system((events.path() / "eval/x").string());
    folder->make_folder("");
    io::write_text(*folder, str(step, ".tfevents"),
                   metrics::framed(metrics::record_event(
                       {.step = step, .entries = {{"accuracy", value}}}, {})));
  };
  save(rules, {{1, {}}, {2, {}}, {3, {}}, {4, {}}});
  EXPECT_THAT(left(), ElementsAre(1, 2, 3, 4));
  write(1, 0.5), write(2, 0.75), write(3, 0.25);
  save(rules, {{5, {}}});
  EXPECT_THAT(left(), ElementsAre(2, 4, 5));
  write(4, 0.5), write(5, 1);
  save(rules, {{6, {}}});
  EXPECT_THAT(left(), ElementsAre(5, 6));
}

TEST_P(RetentionOfRuns, TheBestIsKnownAfterRestarts) {
  const Retention rules{.keep_last_n = 1, .keep_best = kLargest};
  save(rules, {{1, 0.1}, {2, 0.8}, {3, 0.3}, {4, {}}, {5, 0.2}});
  EXPECT_THAT(left(), ElementsAre(2, 5));
}

TEST_P(RetentionOfRuns, ValuesOfAnotherMetricDoNotCount) {
  save({.keep_last_n = {}, .keep_best = kLargest}, {{1, 0.9}, {2, 0.8}});
  const Retention other{.keep_last_n = 1,
                        .keep_best = KeepBest{.evaluator = "held_out", .metric = "bleu"}};
  save(other, {{3, 0.1}, {4, 0.05}});
  EXPECT_THAT(left(), ElementsAre(3, 4));
}

TEST_P(RetentionOfRuns, TimesAreKnownAfterRestarts) {
  const Retention rules{.keep_last_n = 1, .keep_every_seconds = 3600};
  for (std::int64_t step = 1; step <= 6; ++step) {
    now = step * 1000;
    save(rules, {{step, {}}});
  }
  EXPECT_THAT(left(), ElementsAre(1, 5, 6));
}

TEST_P(RetentionOfRuns, WhatIsPinnedStays) {
  save({}, {{1, {}}, {2, {}}});
  pin(*files, folder(1));
  EXPECT_TRUE(is_pinned(*files, folder(1)));
  EXPECT_FALSE(is_pinned(*files, folder(2)));
  const Format& format = format_named(GetParam());
  EXPECT_THAT(format.verify(files, folder(1)), IsEmpty());
  save({.keep_last_n = 1}, {{3, {}}});
  EXPECT_THAT(left(), ElementsAre(1, 3));
  unpin(*files, folder(1));
  save({.keep_last_n = 1}, {{4, {}}});
  EXPECT_THAT(left(), ElementsAre(4));
}

TEST_P(RetentionOfRuns, APinOutlivesALossOfPower) {
  save({}, {{1, {}}});
  pin(*files, folder(1));
  files->lose_power();
  EXPECT_TRUE(is_pinned(*files, folder(1)));
  unpin(*files, folder(1));
  files->lose_power();
  EXPECT_FALSE(is_pinned(*files, folder(1)));
}

TEST_P(RetentionOfRuns, ARunThatGoesBackDestroysNothingPinned) {
  save({}, {{1, {}}, {2, {}}, {3, {}}});
  pin(*files, folder(2));
  Manager(options({})).remove_after(1);
  EXPECT_THAT(left(), ElementsAre(1));
  EXPECT_TRUE(files->find("abandoned-" + folder(2)));
}

INSTANTIATE_TEST_SUITE_P(Formats,
                         RetentionOfRuns,
                         testing::ValuesIn(format_names()),
                         [](const auto& param) { return param.param; });

TEST(Retention, LeavesCheckpointsOfOtherProgramsAlone) {
  const ScopedLogHandler quiet{[](Severity, std::string_view) {}};
  auto files = std::make_shared<io::MemoryFileSystem>();
  const ManagerOptions options{
      .folder = "memory", .format = "axlearn", .retention = {.keep_last_n = 1}, .files = files};
  Manager manager(options);
  manager.save(sample_contents(1));
  manager.wait();
  files->remove(io::join_path("step_00000001", kManifestFile));  // now it looks like AXLearn's own
  for (std::int64_t step : {2, 3})
    manager.save(sample_contents(step));
  manager.wait();
  EXPECT_THAT(manager.steps(), ElementsAre(1, 3));
}

}  // namespace
}  // namespace meshwright::checkpoint
