// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/foreign_array.h"

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

const ForeignArray kSlice{.path = "w_kv", .slice = {{.dim = 1, .index = 1, .count = 2}}};
const ForeignArray kBoth{
    .path = "w", .order = {2, 0, 1}, .slice = {{.dim = 0, .index = 2, .count = 3}}};

TEST(ForeignArray, SaysWhereThingsAre) {
  EXPECT_EQ(foreign_dims(kSlice, {4, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(foreign_ranges(kSlice, {{1, 2}, {0, 5}}), (Ranges{{1, 2}, {1, 2}, {0, 5}}));
  EXPECT_EQ(native_dims(kSlice, {4, 2, 5}), (Dims{4, 5}));
  EXPECT_EQ(foreign_dims(kBoth, {4, 5, 6}), (Dims{3, 6, 4, 5}));
  EXPECT_EQ(foreign_ranges(kBoth, {{0, 1}, {0, 2}, {0, 3}}),
            (Ranges{{2, 3}, {0, 3}, {0, 1}, {0, 2}}));
  EXPECT_EQ(native_dims(kBoth, {3, 6, 4, 5}), (Dims{4, 5, 6}));
}

TEST(ForeignArray, RefusesOtherNumbersOfDimensions) {
  EXPECT_THAT(message_of([&] {
                foreign_dims(kBoth, {4, 5});
              }),
              HasSubstr("has 3 dimensions, the array has 2"));
  EXPECT_THAT(message_of([&] { native_dims(kBoth, {3, 6}); }), HasSubstr("expected 4 dimensions"));
  EXPECT_THAT(message_of([&] { native_dims(kSlice, {3}); }), HasSubstr("but no dimension 1"));
}

std::int64_t offset_of(const Dims& index, const Dims& dims) {
  const Dims strides = row_major_strides(dims);
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// Checks every element: foreign[i...] is native[j...] with i[d] = j[order[d]].
template <typename T>
void expect_ordered(const Dims& native, const Order& order) {
  const ForeignArray layout{.path = "w", .order = order};
  const Dims foreign = foreign_dims(layout, native);
  std::vector<T> from(static_cast<std::size_t>(num_elements(native)));
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<T>(i + 1);
  std::vector<T> to(from.size());
  copy_to_foreign(layout, native, reinterpret_cast<const std::byte*>(from.data()),
                  reinterpret_cast<std::byte*>(to.data()), sizeof(T));
  Dims index(native.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t d = foreign.size(); d-- > 0; rest /= foreign[d])
      index[order[d]] = rest % foreign[d];
    ASSERT_EQ(to[i], from[static_cast<std::size_t>(offset_of(index, native))]) << i;
  }
  std::vector<T> back(from.size());
  copy_from_foreign(layout, whole_ranges(native), reinterpret_cast<const std::byte*>(to.data()),
                    whole_ranges(native), reinterpret_cast<std::byte*>(back.data()), sizeof(T));
  EXPECT_EQ(back, from);
}

TEST(ForeignArray, BringsElementsIntoAnyOrder) {
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

TEST(ForeignArray, ReadsAPartToItsPlace) {
  const ForeignArray layout{.path = "w", .order = {1, 0}};
  const Ranges part = {{1, 3}, {2, 4}};
  const std::vector<float> foreign = {12, 22, 13, 23};  // columns of native: 10 * row + column
  std::vector<float> native(12);                        // rows 1 to 3, columns 1 to 4 of it
  copy_from_foreign(layout, part, reinterpret_cast<const std::byte*>(foreign.data()),
                    {{0, 3}, {1, 5}}, reinterpret_cast<std::byte*>(native.data()), sizeof(float));
  EXPECT_EQ(native, (std::vector<float>{0, 0, 0, 0, 0, 12, 13, 0, 0, 22, 23, 0}));
}

// Queries of 2 x 3 heads, followed by keys of 2: layers kv q dim and layers kv dim.
const ForeignArray kQueries{.path = "qkv",
                            .span = {{.dim = 1, .inner = {3}, .size = 6, .count = 8}}};
const ForeignArray kKeys{.path = "qkv", .span = {{.dim = 1, .start = 6, .size = 2, .count = 8}}};
// The queries transposed, as one of three: native is kv q dim layers.
const ForeignArray kTurned{.path = "qkv",
                           .order = {3, 0, 1, 2},
                           .slice = {{.dim = 0, .index = 1, .count = 3}},
                           .span = {{.dim = 1, .inner = {3}, .start = 1, .size = 6, .count = 8}}};

TEST(ForeignArraySpan, SaysWhereThingsAre) {
  EXPECT_EQ(foreign_dims(kQueries, {4, 2, 3, 5}), (Dims{4, 8, 5}));
  EXPECT_EQ(foreign_dims(kKeys, {4, 2, 5}), (Dims{4, 8, 5}));
  EXPECT_EQ(foreign_dims(kTurned, {2, 3, 5, 4}), (Dims{3, 4, 8, 5}));
  EXPECT_EQ(native_dims(kQueries, {4, 8, 5}), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(native_dims(kKeys, {4, 8, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(native_dims(kTurned, {3, 4, 8, 5}), (Dims{2, 3, 5, 4}));
  EXPECT_EQ(foreign_ranges(kQueries, {{0, 4}, {1, 2}, {0, 3}, {0, 5}}),
            (Ranges{{0, 4}, {3, 6}, {0, 5}}));
  EXPECT_EQ(foreign_ranges(kQueries, {{0, 4}, {1, 2}, {1, 2}, {0, 5}}),
            (Ranges{{0, 4}, {4, 5}, {0, 5}}));
  EXPECT_EQ(foreign_ranges(kKeys, {{0, 4}, {1, 2}, {0, 5}}), (Ranges{{0, 4}, {7, 8}, {0, 5}}));
  EXPECT_EQ(foreign_ranges(kTurned, {{0, 2}, {0, 3}, {0, 5}, {2, 3}}),
            (Ranges{{1, 2}, {2, 3}, {1, 7}, {0, 5}}));
}

TEST(ForeignArraySpan, SplitsRangesThatAreNotContiguous) {
  EXPECT_EQ(split_for_foreign(kQueries, {{0, 4}, {0, 2}, {0, 3}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_foreign(kQueries, {{0, 4}, {1, 2}, {1, 2}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_foreign(kKeys, {{0, 4}, {0, 2}, {0, 5}}).size(), 1U);
  EXPECT_EQ(
      split_for_foreign(kTurned, {{0, 2}, {1, 3}, {0, 5}, {0, 4}}),
      (std::vector<Ranges>{{{0, 1}, {1, 3}, {0, 5}, {0, 4}}, {{1, 2}, {1, 3}, {0, 5}, {0, 4}}}));
}

TEST(ForeignArraySpan, SaysWherePartsMayBeCut) {
  EXPECT_EQ(foreign_part(kQueries, {4, 2, 3, 5}), (Dims{4, 6, 5}));
  EXPECT_EQ(foreign_part(kQueries, {4, 1, 3, 5}), (Dims{4, 3, 5}));
  EXPECT_EQ(foreign_part(kQueries, {4, 2, 1, 5}), (Dims{4, 1, 5}));
  EXPECT_EQ(foreign_part(kKeys, {4, 2, 5}), (Dims{4, 2, 5}));
  EXPECT_EQ(foreign_part(kTurned, {2, 3, 5, 4}), (Dims{1, 4, 1, 5}));  // starts at 1
  EXPECT_EQ(native_part(kQueries, {4, 6, 5}), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(native_part(kQueries, {4, 2, 5}), (Dims{4, 1, 2, 5}));
  EXPECT_EQ(native_part(kKeys, {4, 8, 5}), (Dims{4, 8, 5}));
}

// Heads that a kernel joins with their queries and dimensions: native is layers kv q dim.
const ForeignArray kJoined{.path = "q",
                           .span = {{.dim = 1, .inner = {3, 5}, .size = 30, .count = 30}}};

TEST(ForeignArraySpan, JoinsAnyNumberOfDimensions) {
  EXPECT_EQ(foreign_dims(kJoined, {4, 2, 3, 5}), (Dims{4, 30}));
  EXPECT_EQ(native_dims(kJoined, {4, 30}), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(foreign_ranges(kJoined, {{0, 4}, {1, 2}, {0, 3}, {0, 5}}), (Ranges{{0, 4}, {15, 30}}));
  EXPECT_EQ(foreign_ranges(kJoined, {{0, 4}, {1, 2}, {1, 2}, {2, 4}}), (Ranges{{0, 4}, {22, 24}}));
  EXPECT_EQ(split_for_foreign(kJoined, {{0, 4}, {0, 2}, {0, 3}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_foreign(kJoined, {{0, 4}, {0, 2}, {1, 2}, {0, 5}}).size(), 2U);
  EXPECT_EQ(split_for_foreign(kJoined, {{0, 4}, {1, 2}, {1, 3}, {0, 5}}).size(), 1U);
  EXPECT_EQ(split_for_foreign(kJoined, {{0, 1}, {0, 2}, {0, 3}, {1, 3}}).size(), 6U);
  EXPECT_EQ(foreign_part(kJoined, {4, 1, 3, 5}), (Dims{4, 15}));
  EXPECT_EQ(foreign_part(kJoined, {4, 2, 1, 5}), (Dims{4, 5}));
  EXPECT_EQ(foreign_part(kJoined, {4, 2, 3, 2}), (Dims{4, 1}));
  EXPECT_EQ(native_part(kJoined, {4, 15}), (Dims{4, 1, 3, 5}));
  EXPECT_EQ(native_part(kJoined, {4, 10}), (Dims{4, 1, 2, 5}));
}

TEST(ForeignArrayRows, AreNumbered) {
  const std::vector<ForeignArray> rows =
      rows_of({.path = "layer_#/w", .order = {1, 0}, .num_rows = 2});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].path, "layer_1/w");
  EXPECT_EQ(rows[1].num_rows, 0);
  EXPECT_EQ(rows[1].order, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(rows_of({.path = "x"}).front().path, "x");
}

TEST(ForeignArraySpan, RefusesOtherNumbersOfDimensions) {
  EXPECT_THAT(message_of([&] { native_dims(kQueries, {8}); }), HasSubstr("but no dimension 1"));
  EXPECT_THAT(message_of([&] {
                foreign_dims(kQueries, {4, 2});
              }),
              HasSubstr("needs at least 3 dimensions, the array has 2"));
}

// Copies the whole array to its place and back, piece by piece.
TEST(ForeignArraySpan, BringsElementsToTheirPlace) {
  const Dims native = {2, 3, 5, 4};
  const Dims foreign = foreign_dims(kTurned, native);
  std::vector<float> from(120), to(480), back(120);
  std::iota(from.begin(), from.end(), 1.0F);
  auto bytes = [](auto& values) { return reinterpret_cast<std::byte*>(values.data()); };
  // A cut that gives each part some of the heads of both rows.
  for (const Range& columns : {Range{0, 1}, Range{1, 3}}) {
    for (const Ranges& piece : split_for_foreign(kTurned, {{0, 2}, columns, {0, 5}, {0, 4}})) {
      std::vector<float> part(static_cast<std::size_t>(num_elements(sizes_of(piece))));
      std::vector<float> turned(part.size());
      copy_overlap(bytes(from), whole_ranges(native), bytes(part), piece, sizeof(float));
      copy_to_foreign(kTurned, sizes_of(piece), bytes(part), bytes(turned), sizeof(float));
      const Ranges there = foreign_ranges(kTurned, piece);
      copy_overlap(bytes(turned), there, bytes(to), whole_ranges(foreign), sizeof(float));
      copy_from_foreign(kTurned, piece, bytes(turned), whole_ranges(native), bytes(back),
                        sizeof(float));
    }
  }
  for (std::int64_t i = 0; i < 120; ++i) {
    const Dims index = {i / 60, i / 20 % 3, i / 4 % 5, i % 4};
    const Dims there = {1, index[3], 1 + index[0] * 3 + index[1], index[2]};
    ASSERT_EQ(to[static_cast<std::size_t>(offset_of(there, foreign))],
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
