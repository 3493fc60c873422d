// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/mixture/quotas.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/threefry.h"
#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

using ::testing::ElementsAre;

using Counts = std::vector<std::int64_t>;

// Weights that differ by factors of up to 2^spread.
std::vector<double> drawn_weights(std::uint32_t seed, std::size_t num_parts, double spread) {
  const threefry::KeyWords key = threefry::key(seed);
  std::vector<double> out;
  for (std::size_t i = 0; i < num_parts; ++i)
    out.push_back(std::exp2(spread * threefry::bits32(key, i) / 4294967296.0));
  return out;
}

// Returns by how much the counts differ from the exact shares at most.
double largest_error(const std::vector<double>& weights, const Counts& counts, std::int64_t rows) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double out = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = static_cast<double>(rows) * weights[i] / sum;
    out = std::max(out, std::abs(static_cast<double>(counts[i]) - share));
  }
  return out;
}

TEST(Quotas, FollowTheWeights) {
  const Quotas quotas(std::vector<double>{1, 2, 5});
  EXPECT_THAT(quotas.of_first(0), ElementsAre(0, 0, 0));
  EXPECT_THAT(quotas.of_first(8), ElementsAre(1, 2, 5));
  EXPECT_THAT(quotas.of_first(8'000'000'000'000), ElementsAre(1e12, 2e12, 5e12));
}

TEST(Quotas, DependOnlyOnTheRatiosOfTheWeights) {
  const Quotas shares(std::vector<double>{0.7, 0.2, 0.1}), sizes(std::vector<double>{7, 2, 1});
  for (std::int64_t rows = 0; rows < 200; ++rows)
    EXPECT_EQ(shares.of_first(rows), sizes.of_first(rows)) << rows;
}

TEST(Quotas, GiveEachRowToOnePart) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const std::vector<double> weights = drawn_weights(seed, 1 + seed % 20, seed % 11);
    const Quotas quotas(weights);
    Counts before = quotas.of_first(0);
    for (std::int64_t rows = 1; rows < 2000; ++rows) {
      const Counts counts = quotas.of_first(rows);
      Counts added = counts;
      for (std::size_t i = 0; i < added.size(); ++i)
        added[i] -= before[i];
      EXPECT_EQ(std::ranges::count(added, 1), 1);
      EXPECT_EQ(std::ranges::count(added, 0), std::ssize(added) - 1);
      ASSERT_LT(largest_error(weights, counts, rows), weights.size() == 2 ? 0.5001 : 2)
          << "seed " << seed << ", row " << rows;
      before = counts;
    }
  }
}

TEST(Quotas, AreExactAfterAnyNumberOfRows) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    const std::vector<double> weights = drawn_weights(seed, 1 + seed % 100, seed % 20);
    const Quotas quotas(weights);
    for (std::int64_t rows : {1'000'000'007LL, 999'999'999'999LL}) {
      const Counts counts = quotas.of_first(rows);
      EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), rows);
      ASSERT_LT(largest_error(weights, counts, rows), 2) << "seed " << seed;
    }
  }
}

TEST(Quotas, TakeWeightsThatAreFarApart) {
  const Quotas quotas(std::vector<double>{1e-9, 1, 1e-9});
  const Counts counts = quotas.of_first(4'000'000'000'000);
  EXPECT_NEAR(static_cast<double>(counts[0]), 4000, 2);
  EXPECT_NEAR(static_cast<double>(counts[2]), 4000, 2);
}

TEST(Quotas, RefuseWeightsThatHaveNoShare) {
  const auto make = [](const std::vector<double>& weights) {
    return [weights] { const Quotas quotas(weights); };
  };
  EXPECT_THAT(make({}), throws_with("expected 1 to 1000"));
  EXPECT_THAT(make({1, 0}), throws_with("a weight is 0"));
  EXPECT_THAT(make({1, -2}), throws_with("a weight is -2"));
  EXPECT_THAT(make({1, INFINITY}), throws_with("a weight is inf"));
  EXPECT_THAT(make({1, 1e-13}), throws_with("too far apart"));
}

}  // namespace
}  // namespace meshwright::data
