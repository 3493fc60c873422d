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
              HasSubstr("of 3 dimensions, not of 2"));
  EXPECT_THAT(message_of([&] { our_dims(kBoth, {3, 6}); }), HasSubstr("where 4 are expected"));
  EXPECT_THAT(message_of([&] { our_dims(kSlice, {3}); }), HasSubstr("and none at 1"));
}

std::int64_t offset_of(const Dims& index, const Dims& dims) {
  const Dims strides = row_major_strides(dims);
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

// Element by element: theirs[i...] is ours[j...] with i[d] = j[order[d]].
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
