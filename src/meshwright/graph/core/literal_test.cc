// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/literal.h"

#include <limits>

#include <gtest/gtest.h>

namespace meshwright::graph {
namespace {

TEST(Literal, WritesNumbersExactly) {
  EXPECT_EQ(literal(2.0, f32), "2.0e+00");
  EXPECT_EQ(literal(static_cast<double>(0.1f), f32), "1.0000000149011612e-01");
  EXPECT_EQ(literal(-3.0, s32), "-3");
  EXPECT_EQ(literal(1.0, pred), "true");
  EXPECT_EQ(literal(std::int64_t{-1}, u64), "18446744073709551615");
  EXPECT_EQ(literal(std::numeric_limits<double>::quiet_NaN(), bf16), "0x7FC0");
}

TEST(Literal, KnowsTheExtremesOfEveryDtype) {
  EXPECT_EQ(lowest_literal(f32), "0xFF800000");
  EXPECT_EQ(highest_literal(f64), "0x7FF0000000000000");
  EXPECT_EQ(lowest_literal(DType::f8e4m3fn), "-4.48e+02");
  EXPECT_EQ(lowest_literal(s32), "-2147483648");
  EXPECT_EQ(lowest_literal(s64), "-9223372036854775808");
  EXPECT_EQ(highest_literal(s64), "9223372036854775807");
  EXPECT_EQ(highest_literal(DType::s4), "7");
  EXPECT_EQ(lowest_literal(u8), "0");
  EXPECT_EQ(highest_literal(u8), "255");
  EXPECT_EQ(highest_literal(u64), "18446744073709551615");
  EXPECT_EQ(lowest_literal(pred), "false");
}

TEST(Literal, SetsEveryBit) {
  EXPECT_EQ(all_bits_literal(s32), "-1");
  EXPECT_EQ(all_bits_literal(DType::u4), "15");
  EXPECT_EQ(all_bits_literal(pred), "true");
}

}  // namespace
}  // namespace meshwright::graph
