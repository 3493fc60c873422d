// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/core/permutation.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/data/core/source_testutil.h"

namespace meshwright::data {
namespace {

std::vector<std::int64_t> order(std::int64_t seed, std::int64_t size) {
  Permutation permutation(threefry::key(seed), size);
  std::vector<std::int64_t> out(static_cast<std::size_t>(size));
  for (std::int64_t i = 0; i < size; ++i)
    out[static_cast<std::size_t>(i)] = permutation(i);
  return out;
}

TEST(Permutation, HasEveryNumberOnceAtAnySize) {
  std::vector<std::int64_t> sizes(130);
  std::iota(sizes.begin(), sizes.end(), 1);
  sizes.insert(sizes.end(), {1000, 4096, 4097, 65537, 100003});
  for (std::int64_t size : sizes) {
    std::vector<std::int64_t> sorted = order(7, size);
    std::ranges::sort(sorted);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(size));
    std::iota(expected.begin(), expected.end(), 0);
    ASSERT_EQ(sorted, expected) << size;
  }
}

// Newer versions resume older runs, so these values must never change.
TEST(Permutation, StaysAsItIs) {
  EXPECT_THAT(order(0, 10), ::testing::ElementsAre(4, 6, 5, 3, 2, 0, 7, 8, 1, 9));
  EXPECT_EQ(Permutation(threefry::key(3), 1'000'000'007)(123'456'789), 587'048'572);
  EXPECT_EQ(Permutation(threefry::key(3), std::int64_t{1} << 62)(0), 444'007'075'922'682'193);
}

// With 30 cells and 3000 keys, chi-square with 29 degrees of freedom is below 59 in 99.9% of cases.
TEST(Permutation, PutsEveryNumberAnywhereEquallyOften) {
  constexpr int kSize = 30;
  constexpr int kKeys = 3000;
  for (std::int64_t position : {0, 13, 29}) {
    std::vector<int> counts(kSize);
    for (int seed = 0; seed < kKeys; ++seed)
      ++counts[static_cast<std::size_t>(Permutation(threefry::key(seed), kSize)(position))];
    double chi_square = 0;
    for (int count : counts)
      chi_square += (count - 100.0) * (count - 100.0) / 100.0;
    EXPECT_LT(chi_square, 59) << position;
  }
}

// In a random order, about half of all neighbours ascend, and one number is at its own position.
TEST(Permutation, LeavesNoTraceOfTheOldOrder) {
  std::vector<std::int64_t> numbers = order(1, 100'000);
  int ascents = 0, in_place = 0, close = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    in_place += numbers[i] == static_cast<std::int64_t>(i);
    if (i == 0) continue;
    ascents += numbers[i] > numbers[i - 1];
    close += std::abs(numbers[i] - numbers[i - 1]) <= 500;
  }
  EXPECT_NEAR(ascents, 50'000, 500);  // 5 standard deviations
  EXPECT_LT(in_place, 9);
  EXPECT_NEAR(close, 998, 160);
}

TEST(Permutation, RefusesWhatIsOutside) {
  EXPECT_THAT([] { Permutation(threefry::key(0), 0); }, throws_with("size is 0"));
  EXPECT_THAT([] { Permutation(threefry::key(0), 5)(5); },
              throws_with("position is 5, expected 0 to 4"));
  EXPECT_THAT([] { Permutation(threefry::key(0), 5)(-1); }, throws_with("position is -1"));
}

}  // namespace
}  // namespace meshwright::data
