// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/schedule.h"

#include <algorithm>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

using Counts = std::vector<std::int64_t>;

// The rule, row by row: each row goes to the part that Quotas give it among the parts with rows
// left, counted since a part was last dropped.
std::vector<Counts> replayed(const std::vector<ScheduledPart>& parts,
                             WhenFinished when_finished,
                             std::int64_t max_rows) {
  std::vector<Counts> out = {Counts(parts.size())};
  std::vector<std::size_t> active;
  std::int64_t first = 0;
  const auto has_rows = [&](std::size_t part) {
    return !parts[part].num_rows || out.back()[part] < *parts[part].num_rows;
  };
  std::optional<Quotas> quotas;
  while (std::ssize(out) <= max_rows) {
    if (!quotas) {
      std::vector<double> weights;
      active.clear();
      for (std::size_t part = 0; part < parts.size(); ++part)
        if (has_rows(part)) active.push_back(part), weights.push_back(parts[part].weight);
      if (active.empty()) break;
      quotas.emplace(weights);
      first = std::ssize(out) - 1;
    }
    const std::int64_t row = std::ssize(out) - 1 - first;
    const Counts then = quotas->of_first(row), now = quotas->of_first(row + 1);
    const auto next = std::ranges::mismatch(then, now).in1 - then.begin();
    const std::size_t part = active[static_cast<std::size_t>(next)];
    if (!has_rows(part)) {
      if (when_finished == WhenFinished::stop) break;
      quotas.reset();
      continue;
    }
    out.push_back(out.back());
    ++out.back()[part];
  }
  return out;
}

std::vector<ScheduledPart> drawn_parts(std::uint32_t seed) {
  const threefry::KeyWords key = threefry::key(seed);
  std::vector<ScheduledPart> out(1 + seed % 6);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].weight = 1 + threefry::bits32(key, 2 * i) % 50;
    const std::uint32_t size = threefry::bits32(key, 2 * i + 1) % 200;
    if (size < 180 || i == 0) out[i].num_rows = 1 + size;
  }
  return out;
}

TEST(MixtureSchedule, IsTheReplayOfItsRule) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    for (const WhenFinished when : {WhenFinished::stop, WhenFinished::drop}) {
      const std::vector<ScheduledPart> parts = drawn_parts(seed);
      const MixtureSchedule schedule(parts, when);
      const std::vector<Counts> expected = replayed(parts, when, 1500);
      const std::int64_t num_rows = std::ssize(expected) - 1;
      EXPECT_EQ(schedule.num_rows().value_or(1500), num_rows) << "seed " << seed;
      for (std::int64_t rows = 0; rows <= num_rows; ++rows)
        ASSERT_EQ(schedule.of_first(rows), expected[static_cast<std::size_t>(rows)]) << seed;
    }
  }
}

TEST(MixtureSchedule, EndlessPartsNeverEnd) {
  const MixtureSchedule schedule({{.weight = 3}, {.weight = 1}}, WhenFinished::repeat);
  EXPECT_EQ(schedule.num_rows(), std::nullopt);
  EXPECT_THAT(schedule.of_first(4'000'000), ElementsAre(3'000'000, 1'000'000));
  EXPECT_THAT([] { MixtureSchedule({{.num_rows = 5}}, WhenFinished::repeat); },
              throws_with("must be endless"));
}

TEST(MixtureSchedule, StopsWithTheFirstPartThatFinishes) {
  const MixtureSchedule schedule({{.weight = 1, .num_rows = 100}, {.weight = 1, .num_rows = 3}},
                                 WhenFinished::stop);
  EXPECT_EQ(schedule.num_rows(), 7) << "the fourth row of the second part would be the eighth";
  EXPECT_THAT(schedule.of_first(7), ElementsAre(4, 3));
  EXPECT_THAT([&] { schedule.of_first(8); }, throws_with("past the end"));
}

TEST(MixtureSchedule, DropsPartsAndUsesEveryRowOfTheOthers) {
  const MixtureSchedule schedule({{.weight = 2, .num_rows = 50},
                                  {.weight = 1, .num_rows = 10},
                                  {.weight = 1, .num_rows = 2000}},
                                 WhenFinished::drop);
  EXPECT_EQ(schedule.num_rows(), 2060);
  EXPECT_THAT(schedule.of_first(40), ElementsAre(20, 10, 10));
  EXPECT_THAT(schedule.of_first(70), ElementsAre(40, 10, 20));
  EXPECT_THAT(schedule.of_first(2060), ElementsAre(50, 10, 2000));
}

TEST(MixtureSchedule, APartThatNobodyWillSeeTheEndOfIsEndless) {
  const MixtureSchedule schedule(
      {{.weight = 1}, {.weight = 1e-9, .num_rows = std::int64_t{1} << 50}}, WhenFinished::stop);
  EXPECT_EQ(schedule.num_rows(), std::nullopt);
}

}  // namespace
}  // namespace meshwright::data
