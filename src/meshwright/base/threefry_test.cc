// SPDX-License-Identifier: Apache-2.0
// Expected values come from jax.random (0.11.2) with key(42); tests/golden has more.
#include "meshwright/base/threefry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::threefry {
namespace {

using testing::ElementsAre;

TEST(ThreefryKey, ASeedOf32BitsHasNoHighWord) {
  EXPECT_EQ(key(42), (KeyWords{0, 42}));
  EXPECT_EQ(key(0xffffffff), (KeyWords{0, 0xffffffff}));
  EXPECT_EQ(key(-1), (KeyWords{0, 0xffffffff}));
  EXPECT_EQ(key(-2147483648), (KeyWords{0, 0x80000000}));
}

TEST(ThreefryKey, ALargeSeedIsNotCutOff) {
  EXPECT_EQ(key((std::int64_t{1} << 32) + 5), (KeyWords{1, 5}));
  EXPECT_EQ(key(-(std::int64_t{1} << 40)), (KeyWords{0xffffff00, 0}));
}

TEST(ThreefryKey, TheWidthCanBeThatOfJaxWithOrWithoutX64) {
  EXPECT_EQ(key((std::int64_t{1} << 32) + 5, SeedWidth::bits32), (KeyWords{0, 5}));
  EXPECT_EQ(key(-1, SeedWidth::bits64), (KeyWords{0xffffffff, 0xffffffff}));
}

TEST(Threefry, HashesTheVectorsOfItsAuthors) {  // Random123, kat_vectors: threefry2x32 20
  EXPECT_EQ(hash({0, 0}, {0, 0}), (KeyWords{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(hash({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (KeyWords{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(hash({0x13198a2e, 0x03707344}, {0x243f6a88, 0x85a308d3}),
            (KeyWords{0xc4923a9c, 0x483df7a0}));
}

TEST(Threefry, SplitsAndFoldsInAsJax) {
  KeyWords parent = key(42);
  EXPECT_THAT(split(parent, 3),
              ElementsAre(KeyWords{0x6d3e048f, 0x1022172d}, KeyWords{0x03d7b32d, 0xadd083f4},
                          KeyWords{0x92fb20ea, 0x0f38d913}));
  EXPECT_EQ(fold_in(parent, 0xdeadbeef), (KeyWords{0x620b66ab, 0xd15de6fc}));
}

TEST(Threefry, DrawsBitsOfJaxByPosition) {
  KeyWords from = key(42);
  EXPECT_EQ(bits32(from, 0), 0x7d1c13a2u);
  EXPECT_EQ(bits32(from, 3), 0x8f9ec1d7u);
  EXPECT_EQ(bits64(from, 2), 0x92fb20ea0f38d913u);
}

TEST(Threefry, PositionsBeyond32BitsDiffer) {
  EXPECT_NE(bits32(key(42), std::uint64_t{1} << 32), bits32(key(42), 0));
  EXPECT_EQ(block(key(42), (std::uint64_t{7} << 32) + 9), hash(key(42), {7, 9}));
}

// Odd sizes, whole vectors, and a change of the counter's high word in the middle.
TEST(Threefry, FillsAsElementsAreDrawn) {
  const KeyWords from = key(7);
  const std::uint64_t far = (std::uint64_t{3} << 32) - 21;
  for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5}, far}) {
    for (const std::size_t size : {0u, 1u, 15u, 16u, 17u, 64u, 103u}) {
      std::vector<std::uint32_t> narrow(size);
      std::vector<std::uint64_t> wide(size);
      fill_bits32(from, first, narrow);
      fill_bits64(from, first, wide);
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(narrow[i], bits32(from, first + i)) << first << " " << i;
        ASSERT_EQ(wide[i], bits64(from, first + i)) << first << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace meshwright::threefry
