// SPDX-License-Identifier: Apache-2.0
// 4-bit integers and 8-bit floats exist only inside programs, which cast from and to them.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "ops_testutil.h"

namespace meshwright::graph {
namespace {

using testing::ElementsAre;
using testing::IsNan;

std::vector<double> through(DType narrow, DType wide, const HostTensor& x) {
  return evaluate(
             [&](std::span<const Value> args) {
               return std::vector<Value>{cast(cast(args[0], narrow), wide)};
             },
             {x})[0]
      .to_doubles();
}

TEST(NarrowDTypes, FourBitIntegersHoldTheirRange) {
  auto x = HostTensor::from<std::int32_t>({-8, -1, 0, 7}, {4});
  EXPECT_THAT(through(DType::s4, s32, x), ElementsAre(-8, -1, 0, 7));
  auto y = HostTensor::from<std::int32_t>({0, 1, 8, 15}, {4});
  EXPECT_THAT(through(DType::u4, s32, y), ElementsAre(0, 1, 8, 15));
  EXPECT_THAT(through(DType::u4, f32, y), ElementsAre(0, 1, 8, 15));
}

TEST(NarrowDTypes, EightBitFloatsRoundToNearestEven) {
  // 3 and 2 mantissa bits: between 16 and 32 the spacing is 2 and 4.
  auto x = HostTensor::from<float>({0.1f, 17, 19, 22, 448, -1}, {6});
  EXPECT_THAT(through(DType::f8e4m3fn, f32, x), ElementsAre(0.1015625, 16, 20, 22, 448, -1));
  auto y = HostTensor::from<float>({0.1f, 17, 18, 22, 57344, -1}, {6});
  EXPECT_THAT(through(DType::f8e5m2, f32, y), ElementsAre(0.09375, 16, 16, 24, 57344, -1));
}

TEST(NarrowDTypes, ConstantsBroadcastsAndMovesWork) {
  auto results = evaluate(
      [](std::span<const Value> args) {
        std::vector<Value> out;
        for (DType dtype : {DType::s4, DType::u4, DType::f8e4m3fn, DType::f8e5m2}) {
          Value row = cast(args[0], dtype);
          Value all = concatenate({broadcast_to(row, {2, 3}), constant(3, dtype, {1, 3})}, 0);
          out.push_back(cast(transpose(all, {1, 0}), f32));
        }
        return out;
      },
      {HostTensor::from<float>({0, 1, 7}, {3})});
  ASSERT_EQ(results.size(), 4u);
  for (const HostTensor& result : results)
    EXPECT_THAT(result.to_doubles(), ElementsAre(0, 0, 3, 1, 1, 3, 7, 7, 3));
}

TEST(NarrowDTypes, SpecialConstantsOfEightBitFloats) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  auto results = evaluate(
      [&](std::span<const Value>) {
        return std::vector<Value>{
            cast(constant(nan, DType::f8e4m3fn), f32), cast(constant(nan, DType::f8e5m2), f32),
            cast(constant(inf, DType::f8e5m2), f32), cast(constant(-inf, DType::f8e5m2), f32)};
      },
      {});
  EXPECT_THAT(results[0].to_doubles()[0], IsNan());
  EXPECT_THAT(results[1].to_doubles()[0], IsNan());
  EXPECT_EQ(results[2].to_doubles()[0], inf);
  EXPECT_EQ(results[3].to_doubles()[0], -inf);
}

}  // namespace
}  // namespace meshwright::graph
