// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/ranges.h"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

TEST(Overlap, IsWhatBothCover) {
  EXPECT_EQ(overlap({{0, 4}, {2, 6}}, {{3, 9}, {0, 3}}), (Ranges{{3, 4}, {2, 3}}));
  EXPECT_EQ(overlap({{0, 4}}, {{4, 8}}), std::nullopt);
  EXPECT_EQ(overlap({}, {}), Ranges{});
}

// Reference implementation of copy_overlap, element by element.
void copy_slowly(const std::vector<int>& from,
                 const Ranges& from_at,
                 std::vector<int>& to,
                 const Ranges& to_at) {
  Dims from_strides = row_major_strides(sizes_of(from_at));
  Dims to_strides = row_major_strides(sizes_of(to_at));
  Dims to_sizes = sizes_of(to_at);
  for (std::size_t i = 0; i < to.size(); ++i) {
    std::int64_t source = 0;
    bool is_shared = true;
    for (std::size_t d = 0; d < to_at.size(); ++d) {
      std::int64_t at = to_at[d].start + static_cast<std::int64_t>(i) / to_strides[d] % to_sizes[d];
      is_shared = is_shared && at >= from_at[d].start && at < from_at[d].stop;
      source += (at - from_at[d].start) * from_strides[d];
    }
    if (is_shared) to[i] = from[static_cast<std::size_t>(source)];
  }
}

TEST(CopyOverlap, CopiesAnyPartsOfUpToFourDimensions) {
  std::minstd_rand random(7);
  auto pick = [&] {
    auto start = static_cast<std::int64_t>(random() % 4);
    return Range{start, start + 1 + static_cast<std::int64_t>(random() % 5)};
  };
  for (int trial = 0; trial < 3000; ++trial) {
    Ranges from_at(random() % 5), to_at(from_at.size());
    for (std::size_t d = 0; d < from_at.size(); ++d) {
      from_at[d] = pick();
      to_at[d] = random() % 2 == 0 ? from_at[d] : pick();
    }
    std::vector<int> from(static_cast<std::size_t>(num_elements(sizes_of(from_at))));
    std::iota(from.begin(), from.end(), 1);
    std::vector<int> to(static_cast<std::size_t>(num_elements(sizes_of(to_at))));
    std::vector<int> expected = to;
    copy_slowly(from, from_at, expected, to_at);
    copy_overlap(reinterpret_cast<const std::byte*>(from.data()), from_at,
                 reinterpret_cast<std::byte*>(to.data()), to_at, sizeof(int));
    ASSERT_EQ(to, expected) << "trial " << trial;
  }
}

}  // namespace
}  // namespace meshwright
