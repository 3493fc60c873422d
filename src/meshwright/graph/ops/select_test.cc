// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/sort.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

class Bitcast : public TracedTest {};

TEST_F(Bitcast, KeepsTheShapeWhereWidthsAgree) {
  EXPECT_EQ(to_string(bitcast(arg(f32, {3, 4}), u32).type()), "u32[3,4]");
}

TEST_F(Bitcast, GivesNarrowerElementsADimension) {
  EXPECT_EQ(to_string(bitcast(arg(f32, {3}), u8).type()), "u8[3,4]");
  EXPECT_EQ(to_string(bitcast(arg(f64, {}), bf16).type()), "bf16[4]");
  EXPECT_EQ(to_string(bitcast(arg(u8, {3}), DType::s4).type()), "s4[3,2]");
}

TEST_F(Bitcast, TakesUpTheLastDimensionForWiderElements) {
  Value x = bitcast(arg(DType::s16, {3, 4}), s64);
  EXPECT_EQ(to_string(x.type()), "s64[3]");
  EXPECT_THAT(text(x), HasSubstr("stablehlo.bitcast_convert"));
  EXPECT_THAT(
      text_of({{DType::s16, {3, 4}}},
              [](std::span<const Value> a) { return std::vector<Value>{bitcast(a[0], s64)}; }),
      HasSubstr("(tensor<3x4xi16>) -> tensor<3xi64>"));
}

TEST_F(Bitcast, RejectsALastDimensionThatDoesNotFillAnElement) {
  EXPECT_THAT(message_of([&] { bitcast(arg(u8, {3}), f32); }),
              HasSubstr("bitcast: one f32 needs a last dimension of 4, got u8[3] "));
  EXPECT_THAT(message_of([&] { bitcast(arg(u8, {}), f32); }), HasSubstr("got u8[] "));
  EXPECT_THAT(message_of([&] { bitcast(arg(pred, {4}), u8); }),
              HasSubstr("bitcast: cannot reinterpret booleans: pred[4] to u8; cast them"));
}

using Signs = TracedTest;

TEST_F(Signs, OfUnsignedIntegersNeedNoOp) {
  Value x = arg(u8, {3});
  EXPECT_EQ(abs(x), x);
  EXPECT_THAT(text(sign(x)), testing::Not(HasSubstr("stablehlo.sign")));
  EXPECT_THAT(message_of([&] { emit(kAbs, {x}, SourceLoc::current()); }),
              HasSubstr("abs: expects signed numbers, got u8[3]"));
  EXPECT_THAT(message_of([&] { sign(arg(pred, {3})); }),
              HasSubstr("sign: expects signed numbers, got pred[3]"));
}

using NarrowDTypes = TracedTest;

TEST_F(NarrowDTypes, AreRefusedWhereXlaFails) {
  EXPECT_THAT(message_of([&] { erfc(arg(DType::f8e5m2, {3})); }),
              HasSubstr("erfc: expects floats of at least 16 bits, got f8e5m2[3]; cast it"));
  Value x = arg(DType::s4, {3});
  EXPECT_THAT(message_of([&] {
                dot_general(x, x, {{}, {}, {0}, {0}}, {.out = s32});
              }),
              HasSubstr("dot_general: products of s4 cannot be summed in s32; cast the operands"));
  EXPECT_THAT(message_of([&] { emit(kTopK, {x}, std::int64_t{1}, SourceLoc::current()); }),
              HasSubstr("top_k: expects elements of at least 8 bits, got s4[3]"));
}

}  // namespace
}  // namespace meshwright::graph
