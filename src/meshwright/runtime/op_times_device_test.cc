// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/runtime/op_times.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::runtime {
namespace {

using ::testing::Each;
using ::testing::Field;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two equal products, a different one, and one more in a loop of 5.
constexpr const char* kProducts = R"(
module @products {
  func.func public @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %v: tensor<64x32xf32>)
      -> (tensor<64x64xf32>, tensor<64x32xf32>, tensor<96x96xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0]
        : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %start = stablehlo.constant dense<0> : tensor<i32>
    %half = stablehlo.constant dense<0.5> : tensor<96x96xf32>
    %y:2 = stablehlo.while(%i = %start, %a = %half) : tensor<i32>, tensor<96x96xf32>
    cond {
      %end = stablehlo.constant dense<5> : tensor<i32>
      %more = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
          : (tensor<96x96xf32>, tensor<96x96xf32>) -> tensor<96x96xf32>
      stablehlo.return %next, %b : tensor<i32>, tensor<96x96xf32>
    }
    return %1, %2, %y#1 : tensor<64x64xf32>, tensor<64x32xf32>, tensor<96x96xf32>
  }
})";

std::int64_t num_times(const OpTimes& times, std::string_view type) {
  std::int64_t count = 0;
  for (const OpTime& op : times.ops)
    if (op.what == "dot" && op.type == type) count += op.count;
  return count;
}

TEST(OpTimes, CountsEqualInstructionsAndLoops) {
  const OpTimes times = time_ops(test_client().compile_text(kProducts));
  EXPECT_EQ(num_times(times, "f32[64,64]"), 2);
  EXPECT_EQ(num_times(times, "f32[64,32]"), 1);
  EXPECT_EQ(num_times(times, "f32[96,96]"), 5);
  EXPECT_THAT(times.untimed, IsEmpty());
  const auto products = std::ranges::count_if(
      times.ops, [](const OpTime& op) { return op.type == "f32[64,64]" && op.what == "dot"; });
  EXPECT_EQ(products, 1) << "equal instructions are timed once";
}

TEST(OpTimes, CollectivesAreNamedAndNotTimed) {
  const Executable sum = test_client().compile_text(R"(
module @sum attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=8]>
  func.func public @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
      -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
})",
                                                    {.num_partitions = 8});
  const OpTimes times = time_ops(sum);
  EXPECT_THAT(times.ops, SizeIs(Gt(0u)));
  EXPECT_THAT(times.untimed, SizeIs(1));
  EXPECT_THAT(times.untimed, Each(Field(&OpTime::what, "all-reduce")));
}

}  // namespace
}  // namespace meshwright::runtime
