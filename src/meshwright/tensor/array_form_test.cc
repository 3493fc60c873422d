// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/array_form.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/tensor/copy_strided.h"

namespace meshwright {
namespace {

using testing::HasSubstr;
using Order = std::vector<std::size_t>;

const ArrayForm kSlice{.path = "w_kv", .slice = {{.dim = 1, .index = 1, .count = 2}}};
const ArrayForm kBoth{
    .path = "w", .order = {2, 0, 1}, .slice = {{.dim = 0, .index = 2, .count = 3}}};

TEST(ArrayForm, SaysWhereThingsAre) {
  EXPECT_EQ(their_dims(kSlice, {4, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(their_ranges(kSlice, {{1, 2}, {0, 5}}), (Ranges{{1, 2}, {1, 2}, {0, 5}}));
  EXPECT_EQ(our_dims(kSlice, {4, 2, 5}), (Dims{4, 5}));
  EXPECT_EQ(their_dims(kBoth, {4, 5, 6}), (Dims{3, 6, 4, 5}));
  EXPECT_EQ(their_ranges(kBoth, {{0, 1}, {0, 2}, {0, 3}}),
            (Ranges{{2, 3}, {0, 3}, {0, 1}, {0, 2}}));
  EXPECT_EQ(our_dims(kBoth, {3, 6, 4, 5}), (Dims{4, 5, 6}));
}

TEST(ArrayForm, RefusesOtherNumbersOfDimensions) {
  EXPECT_THAT(message_of([&] {
                their_dims(kBoth, {4, 5});
              }),
              HasSubstr("has 3 dimensions, the array has 2"));
  EXPECT_THAT(message_of([&] { our_dims(kBoth, {3, 6}); }), HasSubstr("expected 4 dimensions"));
  EXPECT_THAT(message_of([&] { our_dims(kSlice, {3}); }), HasSubstr("but no dimension 1"));
}

std::int64_t offset_of(const Dims& index, const Dims& dims) {
  const Dims strides = row_major_strides(dims);
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// Checks every element: theirs[i...] is ours[j...] with i[d] = j[order[d]].
template <typename T>
void expect_ordered(const Dims& ours, const Order& order) {
  const ArrayForm form{.path = "w", .order = order};
  const Dims theirs = their_dims(form, ours);
  std::vector<T> from(static_cast<std::size_t>(num_elements(ours)));
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<T>(i + 1);
  std::vector<T> to(from.size());
  copy_to_theirs(form, ours, reinterpret_cast<const std::byte*>(from.data()),
                 reinterpret_cast<std::byte*>(to.data()), sizeof(T));
  Dims index(ours.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t d = theirs.size(); d-- > 0; rest /= theirs[d])
      index[order[d]] = rest % theirs[d];
    ASSERT_EQ(to[i], from[static_cast<std::size_t>(offset_of(index, ours))]) << i;
  }
  std::vector<T> back(from.size());
  copy_to_ours(form, whole_ranges(ours), reinterpret_cast<const std::byte*>(to.data()),
               whole_ranges(ours), reinterpret_cast<std::byte*>(back.data()), sizeof(T));
  EXPECT_EQ(back, from);
}

TEST(ArrayForm, BringsElementsIntoAnyOrder) {
  expect_ordered<float>({}, {});
  expect_ordered<float>({5}, {0});
  expect_ordered<float>({40, 70}, {1, 0});
  expect_ordered<std::uint8_t>({33, 3}, {1, 0});
  expect_ordered<std::uint16_t>({2, 1, 35}, {2, 1, 0});
  expect_ordered<double>({0, 3}, {1, 0});
  Order order = {0, 1, 2, 3, 4};
  do {
    expect_ordered<std::uint32_t>({2, 3, 4, 5, 6}, order);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(ArrayForm, ReadsAPartToItsPlace) {
  const ArrayForm form{.path = "w", .order = {1, 0}};
  const Ranges part = {{1, 3}, {2, 4}};
  const std::vector<float> theirs = {12, 22, 13, 23};  // columns of ours: 10 * row + column
  std::vector<float> ours(12);                         // rows 1 to 3, columns 1 to 4 of it
  copy_to_ours(form, part, reinterpret_cast<const std::byte*>(theirs.data()), {{0, 3}, {1, 5}},
               reinterpret_cast<std::byte*>(ours.data()), sizeof(float));
  EXPECT_EQ(ours, (std::vector<float>{0, 0, 0, 0, 0, 12, 13, 0, 0, 22, 23, 0}));
}

// Queries of 2 x 3 heads, followed by keys of 2: layers kv q dim and layers kv dim.
const ArrayForm kQueries{.path = "qkv", .span = {{.dim = 1, .inner = 3, .size = 6, .count = 8}}};
const ArrayForm kKeys{.path = "qkv", .span = {{.dim = 1, .start = 6, .size = 2, .count = 8}}};
// The queries transposed, as one of three: ours is kv q dim layers.
const ArrayForm kTurned{.path = "qkv",
                        .order = {3, 0, 1, 2},
                        .slice = {{.dim = 0, .index = 1, .count = 3}},
                        .span = {{.dim = 1, .inner = 3, .start = 1, .size = 6, .count = 8}}};

TEST(ArrayFormSpan, SaysWhereThingsAre) {
  EXPECT_EQ(their_dims(kQueries, {4, 2, 3, 5}), (Dims{4, 8, 5}));
  EXPECT_EQ(their_dims(kKeys, {4, 2, 5}), (Dims{4, 8, 5}));
  EXPECT_EQ(their_dims(kTurned, {2, 3, 5, 4}), (Dims{3, 4, 8, 5}));
  EXPECT_EQ(our_dims(kQueries, {4, 8, 5}), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(our_dims(kKeys, {4, 8, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(our_dims(kTurned, {3, 4, 8, 5}), (Dims{2, 3, 5, 4}));
  EXPECT_EQ(their_ranges(kQueries, {{0, 4}, {1, 2}, {0, 3}, {0, 5}}),
            (Ranges{{0, 4}, {3, 6}, {0, 5}}));
  EXPECT_EQ(their_ranges(kQueries, {{0, 4}, {1, 2}, {1, 2}, {0, 5}}),
            (Ranges{{0, 4}, {4, 5}, {0, 5}}));
  EXPECT_EQ(their_ranges(kKeys, {{0, 4}, {1, 2}, {0, 5}}), (Ranges{{0, 4}, {7, 8}, {0, 5}}));
  EXPECT_EQ(their_ranges(kTurned, {{0, 2}, {0, 3}, {0, 5}, {2, 3}}),
            (Ranges{{1, 2}, {2, 3}, {1, 7}, {0, 5}}));
}

TEST(ArrayFormSpan, SplitsWhatIsNotOnePartOfTheirs) {
  EXPECT_EQ(split_for_theirs(kQueries, {{0, 4}, {0, 2}, {0, 3}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_theirs(kQueries, {{0, 4}, {1, 2}, {1, 2}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_theirs(kKeys, {{0, 4}, {0, 2}, {0, 5}}).size(), 1U);
  EXPECT_EQ(
      split_for_theirs(kTurned, {{0, 2}, {1, 3}, {0, 5}, {0, 4}}),
      (std::vector<Ranges>{{{0, 1}, {1, 3}, {0, 5}, {0, 4}}, {{1, 2}, {1, 3}, {0, 5}, {0, 4}}}));
}

TEST(ArrayFormSpan, SaysWherePartsMayBeCut) {
  EXPECT_EQ(their_part(kQueries, {4, 2, 3, 5}), (Dims{4, 6, 5}));
  EXPECT_EQ(their_part(kQueries, {4, 1, 3, 5}), (Dims{4, 3, 5}));
  EXPECT_EQ(their_part(kQueries, {4, 2, 1, 5}), (Dims{4, 1, 5}));
  EXPECT_EQ(their_part(kKeys, {4, 2, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(their_part(kTurned, {2, 3, 5, 4}), (Dims{1, 4, 1, 5}));  // starts at 1
  EXPECT_EQ(our_part(kQueries, {4, 6, 5}), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(our_part(kQueries, {4, 2, 5}), (Dims{4, 1, 2, 5}));
  EXPECT_EQ(our_part(kKeys, {4, 8, 5}), (Dims{4, 8, 5}));
}

TEST(ArrayFormSpan, RefusesOtherNumbersOfDimensions) {
  EXPECT_THAT(message_of([&] { our_dims(kQueries, {8}); }), HasSubstr("but no dimension 1"));
  EXPECT_THAT(message_of([&] {
                their_dims(kQueries, {4, 2});
              }),
              HasSubstr("needs at least 3 dimensions, the array has 2"));
}

// Copies the whole array to its place and back, piece by piece.
TEST(ArrayFormSpan, BringsElementsToTheirPlace) {
  const Dims ours = {2, 3, 5, 4};
  const Dims theirs = their_dims(kTurned, ours);
  std::vector<float> from(120), to(480), back(120);
  std::iota(from.begin(), from.end(), 1.0F);
  auto bytes = [](auto& values) { return reinterpret_cast<std::byte*>(values.data()); };
  // A cut that gives each part some of the heads of both rows.
  for (const Range& columns : {Range{0, 1}, Range{1, 3}}) {
    for (const Ranges& piece : split_for_theirs(kTurned, {{0, 2}, columns, {0, 5}, {0, 4}})) {
      std::vector<float> part(static_cast<std::size_t>(num_elements(sizes_of(piece))));
      std::vector<float> turned(part.size());
      copy_overlap(bytes(from), whole_ranges(ours), bytes(part), piece, sizeof(float));
      copy_to_theirs(kTurned, sizes_of(piece), bytes(part), bytes(turned), sizeof(float));
      const Ranges there = their_ranges(kTurned, piece);
      copy_overlap(bytes(turned), there, bytes(to), whole_ranges(theirs), sizeof(float));
      copy_to_ours(kTurned, piece, bytes(turned), whole_ranges(ours), bytes(back), sizeof(float));
    }
  }
  for (std::int64_t i = 0; i < 120; ++i) {
    const Dims index = {i / 60, i / 20 % 3, i / 4 % 5, i % 4};
    const Dims there = {1, index[3], 1 + index[0] * 3 + index[1], index[2]};
    ASSERT_EQ(to[static_cast<std::size_t>(offset_of(there, theirs))],
              from[static_cast<std::size_t>(i)])
        << i;
  }
  EXPECT_EQ(std::ranges::count(to, 0.0F), std::ssize(to) - 120);
  EXPECT_EQ(back, from);
}

TEST(CopyStrided, TakesElementsOfPowersOfTwoOnly) {
  std::byte bytes[16] = {};
  std::byte copy[16] = {};
  copy_strided(bytes, copy, {{1, 1, 1}}, 16);
  EXPECT_THAT(message_of([&] {
                copy_strided(bytes, copy, {{1, 1, 1}}, 3);
              }),
              HasSubstr("of 3 bytes"));
}

}  // namespace
}  // namespace meshwright
