// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/barrier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

TEST(OptimizationBarrier, TiesValuesOfAnyType) {
  std::string text = text_of({{f32, {2}}, {s32, {}}}, [](std::span<const Value> args) {
    return optimization_barrier({args[0], args[1]});
  });
  EXPECT_THAT(text, HasSubstr("%0:2 = \"stablehlo.optimization_barrier\"(%arg0, %arg1) : "
                              "(tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>)"));
  EXPECT_THAT(text, HasSubstr("\"func.return\"(%0#0, %0#1)"));
}

TEST(OptimizationBarrier, OfNothingIsNothing) {
  Tracer tracer;
  EXPECT_TRUE(optimization_barrier(std::vector<Value>{}).empty());
}

}  // namespace
}  // namespace meshwright::graph
