// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Function = std::function<Value(Value)>;

std::string reduction_text(const ArrayType& type, const Function& fn) {
  return graph::text_of(
      {type}, [&](std::span<const Value> args) { return std::vector<Value>{fn(args[0])}; });
}

std::string error_of(const ArrayType& type, const Function& fn) {
  return message_of([&] { reduction_text(type, fn); });
}

const ArrayType kArray{f32, {2, 3, 5}};

TEST(ReduceSum, WritesStartDimensionsAndBody) {
  std::string text = reduction_text(kArray, [](Value x) { return reduce_sum(x, {-1, 0}); });
  EXPECT_THAT(text, HasSubstr("value = dense<0.0e+00> : tensor<f32>"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.reduce\"(%arg0, %0) <{dimensions = array<i64: 0, 2>}> "
                              "({\n^bb0(%1: tensor<f32>, %2: tensor<f32>):\n%3 = "
                              "\"stablehlo.add\"(%1, %2) : (tensor<f32>, tensor<f32>) -> "
                              "tensor<f32>\n\"stablehlo.return\"(%3) : (tensor<f32>) -> ()\n}) : "
                              "(tensor<2x3x5xf32>, tensor<f32>) -> tensor<3xf32>"));
}

TEST(ReduceSum, TakesSumsOfBf16InF32) {
  std::string text = reduction_text({bf16, {2, 3}}, [](Value x) { return reduce_sum(x, {1}); });
  EXPECT_THAT(text, AllOf(HasSubstr("(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"),
                          HasSubstr("(tensor<2xf32>) -> tensor<2xbf16>")));
}

TEST(ReduceSum, CastsFirstIfADtypeIsAskedFor) {
  auto in_bf16 = [](Value x) { return reduce_sum(x, {1}, {.out = bf16}); };
  EXPECT_THAT(reduction_text({bf16, {2, 3}}, in_bf16),
              HasSubstr("(tensor<2x3xbf16>, tensor<bf16>) -> tensor<2xbf16>"));
  auto in_f32 = [](Value x) { return reduce_sum(x, {1}, {.out = f32}); };
  EXPECT_THAT(reduction_text({bf16, {2, 3}}, in_f32), HasSubstr("-> (tensor<2xf32>)"));
  auto count = [](Value x) { return reduce_sum(x, {0}, {.out = s32}); };
  EXPECT_THAT(reduction_text({pred, {4}}, count), HasSubstr("-> (tensor<i32>)"));
}

TEST(Reduce, KeepsDimensionsIfAsked) {
  Tracer tracer;
  Value x = tracer.argument(kArray);
  EXPECT_EQ(reduce_max(x, {1}, {.keep_dims = true}).dims(), (Dims{2, 1, 5}));
  EXPECT_EQ(reduce_max(x, {2, 0}, {.keep_dims = true}).dims(), (Dims{1, 3, 1}));
  EXPECT_EQ(reduce_max(x, {2, 0}).dims(), (Dims{3}));
  EXPECT_EQ(reduce_max(x, all_dims(x)).dims(), (Dims{}));
}

TEST(Reduce, OverNothingIsTheValueItself) {
  Tracer tracer;
  Value x = tracer.argument({bf16, {2}});
  EXPECT_EQ(reduce_max(x, {}), x);
}

TEST(Reduce, StartsWithTheNeutralElement) {
  auto text = [](DType dtype, auto reduction) {
    return reduction_text({dtype, {4}},
                          [&](Value x) { return reduction(x, Dims{0}, ReduceOptions{}); });
  };
  auto wrap = [](auto fn) {
    return [fn](Value x, Dims over, const ReduceOptions& o) { return fn(x, over, o, SourceLoc()); };
  };
  EXPECT_THAT(text(f32, wrap(reduce_prod)), HasSubstr("dense<1.0e+00>"));
  EXPECT_THAT(text(f32, wrap(reduce_max)), HasSubstr("dense<0xFF800000>"));
  EXPECT_THAT(text(s32, wrap(reduce_min)), HasSubstr("dense<2147483647>"));
  EXPECT_THAT(text(pred, wrap(reduce_and)), HasSubstr("dense<true>"));
  EXPECT_THAT(text(s32, wrap(reduce_and)), HasSubstr("dense<-1>"));
  EXPECT_THAT(text(u8, wrap(reduce_and)), HasSubstr("dense<255>"));
  EXPECT_THAT(text(pred, wrap(reduce_or)), HasSubstr("dense<false>"));
}

TEST(Reduce, RejectsDimensionsThatAreNotThereOrTwice) {
  EXPECT_THAT(error_of(kArray, [](Value x) { return reduce_sum(x, {3}); }),
              HasSubstr("reduce_sum: there is no dimension 3 in f32[2,3,5] (reduce_test.cc:"));
  EXPECT_THAT(error_of(kArray, [](Value x) { return reduce_max(x, {-4}); }),
              HasSubstr("reduce_max: there is no dimension -4 in f32[2,3,5]"));
  EXPECT_THAT(error_of(kArray,
                       [](Value x) {
                         return reduce_sum(x, {1, -2});
                       }),
              HasSubstr("reduce_sum: a dimension of f32[2,3,5] is named twice: [1,1]"));
}

TEST(Reduce, RejectsDtypesWithoutTheOperation) {
  EXPECT_THAT(error_of({pred, {2}}, [](Value x) { return reduce_sum(x, {0}); }),
              HasSubstr("reduce_sum: expects numbers, got pred[2]; cast it or pass {.out = s32}"));
  EXPECT_THAT(error_of({f32, {2}}, [](Value x) { return reduce_and(x, {0}); }),
              HasSubstr("reduce_and: expects booleans or integers, got f32[2]"));
}

TEST(ArgMax, ReducesNumbersAndThenPlaces) {
  std::string text = reduction_text(kArray, [](Value x) { return argmax(x, -2); });
  EXPECT_THAT(text, AllOf(HasSubstr("iota_dimension = 1"), HasSubstr("stablehlo.maximum"),
                          HasSubstr("stablehlo.minimum"), HasSubstr("dimensions = array<i64: 1>"),
                          HasSubstr("tensor<2x5xi32>")));
}

TEST(ArgMax, ComparesNanOnlyForFloats) {
  auto text = [](DType dtype) {
    return reduction_text({dtype, {4}}, [](Value x) { return argmin(x, 0, s64); });
  };
  EXPECT_THAT(text(f32), HasSubstr("comparison_direction NE"));
  EXPECT_THAT(text(s32), AllOf(HasSubstr("tensor<i64>"), Not(HasSubstr("direction NE"))));
}

TEST(ArgMax, RejectsNothingToChooseFrom) {
  EXPECT_THAT(error_of({f32, {2, 0}}, [](Value x) { return argmax(x, 1); }),
              HasSubstr("argmax: dimension 1 of f32[2,0] has no elements to choose from"));
  EXPECT_THAT(error_of(kArray, [](Value x) { return argmin(x, 3); }),
              HasSubstr("argmin: there is no dimension 3 in f32[2,3,5]"));
  EXPECT_THAT(error_of(kArray, [](Value x) { return argmax(x, 0, f32); }),
              HasSubstr("the dtype of the index must be an integer type, not f32"));
}

}  // namespace
}  // namespace meshwright::graph
