// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/skipped_batches.h"

#include <limits>
#include <memory>
#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/in_memory.h"
#include "meshwright/data/core/source_testutil.h"
#include "meshwright/data/core/state.h"
#include "meshwright/data/mixture/mixture_source.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

// Batch k is {2k, 2k + 1}.
SourcePtr pairs(int num_batches) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(2 * num_batches));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::int32_t>(i);
  return in_memory({{"x", HostTensor::from(values, {std::int64_t{2} * num_batches}), "batch"}},
                   {.batch_size = 2, .shuffle = false, .num_epochs = 1});
}

std::vector<std::int64_t> positions(const SkippedBatches& skipped, std::int64_t count) {
  std::vector<std::int64_t> out;
  for (std::int64_t k = 0; k < count; ++k)
    out.push_back(skipped.position(k));
  return out;
}

TEST(SkippedBatches, AreLeftOut) {
  const SkippedBatches skipped({{5, 5}, {2, 3}});
  EXPECT_THAT(positions(skipped, 6), ElementsAre(0, 1, 4, 6, 7, 8));
  EXPECT_EQ(skipped.end(0), 0);
  EXPECT_EQ(skipped.end(2), 2) << "batches 2 and 3 have not been skipped yet";
  EXPECT_EQ(skipped.end(3), 5);
  EXPECT_THAT(positions(SkippedBatches({{0, 9}}), 2), ElementsAre(10, 11));
  EXPECT_THAT(positions(SkippedBatches(), 2), ElementsAre(0, 1));
}

TEST(SkippedBatches, AgreeWithASet) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const threefry::KeyWords key = threefry::key(seed);
    std::vector<BatchRange> ranges;
    std::set<std::int64_t> left_out;
    for (std::uint64_t i = 0; i < seed % 12; ++i) {
      const std::int64_t first = threefry::bits32(key, 2 * i) % 80;
      ranges.push_back({first, first + threefry::bits32(key, 2 * i + 1) % 9});
      for (std::int64_t batch = first; batch <= ranges.back().last; ++batch)
        left_out.insert(batch);
    }
    const SkippedBatches skipped(ranges);
    std::int64_t kept = 0;
    for (std::int64_t batch = 0; batch < 120; ++batch) {
      ASSERT_EQ(skipped.num_kept(batch), kept) << "seed " << seed << ", batch " << batch;
      if (left_out.contains(batch)) continue;
      ASSERT_EQ(skipped.position(kept), batch) << "seed " << seed;
      ++kept;
      ASSERT_EQ(skipped.end(kept), batch + 1);
    }
  }
}

TEST(SkippedBatches, RefuseRangesThatEndBeforeTheyBegin) {
  EXPECT_THAT([] { SkippedBatches({{5, 4}}); }, throws_with("skipped batches 5 to 4"));
  EXPECT_THAT([] { SkippedBatches({{-1, 4}}); }, throws_with("skipped batches -1 to 4"));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT([] { SkippedBatches({{5, kMost}}); }, throws_with("skipped batches 5 to 9223"));
}

TEST(Without, GivesTheOtherBatches) {
  const SourcePtr source = without(pairs(6), SkippedBatches({{1, 2}, {5, 9}}));
  EXPECT_EQ(source->num_batches(), 3);
  EXPECT_EQ(source->batches_per_epoch(), 6);
  EXPECT_THAT(ints(whole_batch(*source, 0), "x"), ElementsAre(0, 1));
  EXPECT_THAT(ints(whole_batch(*source, 1), "x"), ElementsAre(6, 7));
  EXPECT_THAT(ints(whole_batch(*source, 2), "x"), ElementsAre(8, 9));
  expect_pure(*source, 3);
}

TEST(Without, GoesThroughTheBatchesThatItLeavesOut) {
  const auto mixture = std::make_shared<MixtureSource>(
      std::vector<MixturePart>{
          {"only", in_memory({{"x", HostTensor::from<std::int32_t>({1, 2, 3}, {3}), "batch"}},
                             {.batch_size = 2})}},
      MixtureOptions());
  const SourcePtr source = without(mixture, SkippedBatches({{1, 2}}));
  EXPECT_THAT(source->uses(1), ElementsAre(PartUse{"only", 2, 2 / 3.0}));
  EXPECT_THAT(source->uses(2), ElementsAre(PartUse{"only", 8, 8 / 3.0}));
}

}  // namespace
}  // namespace meshwright::data
