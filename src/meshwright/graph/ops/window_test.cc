// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/window.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/cumulative.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(WindowDim, CountsPositions) {
  EXPECT_EQ((WindowDim{.size = 3}.num_positions(7)), 5);
  EXPECT_EQ((WindowDim{.size = 3, .stride = 2}.num_positions(7)), 3);
  EXPECT_EQ((WindowDim{.size = 3, .low = 1, .high = 1}.num_positions(7)), 7);
  EXPECT_EQ((WindowDim{.size = 3, .base_dilation = 2}.num_positions(7)), 11);
  EXPECT_EQ((WindowDim{.size = 3, .window_dilation = 3}.num_positions(7)), 1);
  EXPECT_EQ((WindowDim{.size = 8}.num_positions(7)), 0);
}

TEST(WindowDim, TransposedTwiceIsItselfWhereNothingIsLeftOver) {
  WindowDim dim{.size = 3, .stride = 2, .low = 1, .high = 0, .window_dilation = 2};
  std::int64_t size = 8;
  ASSERT_EQ((dim.padded(size) - dim.extent()) % dim.stride, 0);
  EXPECT_EQ(dim.transposed(size).num_positions(dim.num_positions(size)), size);
  EXPECT_EQ(dim.transposed(size).transposed(dim.num_positions(size)), dim);
}

TEST(MakeWindow, PadsForSameAsManyPositionsAsStridesFit) {
  Tracer tracer;
  auto padding = [](PaddingRule rule) {
    Window window = make_window(kWindowSum, {4}, {7}, {.stride = {2}, .padding = rule}, {});
    return std::pair(window[0].low, window[0].high);
  };
  EXPECT_EQ(padding(PaddingRule::valid), std::pair(0l, 0l));
  EXPECT_EQ(padding(PaddingRule::same), std::pair(1l, 2l));
  EXPECT_EQ(padding(PaddingRule::same_lower), std::pair(2l, 1l));
}

TEST(WindowSum, WritesTheWindow) {
  std::string text = text_of({{f32, {7, 6}}}, [](std::span<const Value> args) {
    return std::vector<Value>{window_sum(args[0], {3, 2},
                                         {.stride = {2, 1},
                                          .padding = Padding{.low = {0, 1}, .high = {2, 0}},
                                          .window_dilation = {1, 2}})};
  });
  EXPECT_THAT(text, HasSubstr("window_dimensions = array<i64: 3, 2>, window_strides = array<i64: "
                              "2, 1>, base_dilations = array<i64: 1, 1>, window_dilations = "
                              "array<i64: 1, 2>, padding = dense<[[0, 2], [1, 0]]> : "
                              "tensor<2x2xi64>"));
  EXPECT_THAT(text, HasSubstr("(tensor<7x6xf32>, tensor<f32>) -> tensor<4x5xf32>"));
}

TEST(WindowSum, TakesSumsOfBf16InF32) {
  std::string text = text_of({{bf16, {7}}}, [](std::span<const Value> args) {
    return std::vector<Value>{window_sum(args[0], {3})};
  });
  EXPECT_THAT(text, AllOf(HasSubstr("tensor<7xf32>"), HasSubstr("-> (tensor<5xbf16>)")));
}

TEST(WindowProd, StartsAtOneAndIsTakenInF32) {
  std::string text = text_of({{bf16, {7}}}, [](std::span<const Value> args) {
    return std::vector<Value>{window_prod(args[0], {3})};
  });
  EXPECT_THAT(text, AllOf(HasSubstr("dense<1.0e+00> : tensor<f32>"),
                          HasSubstr("stablehlo.multiply"), HasSubstr("-> (tensor<5xbf16>)")));
}

TEST(WindowLogic, StartsAtWhatChangesNothing) {
  std::string text = text_of({{pred, {7}}, {DType::s8, {7}}}, [](std::span<const Value> args) {
    return std::vector<Value>{window_and(args[0], {3}), window_and(args[1], {3}),
                              window_or(args[1], {3})};
  });
  EXPECT_THAT(text, AllOf(HasSubstr("dense<true> : tensor<i1>"),
                          HasSubstr("dense<-1> : tensor<i8>"), HasSubstr("dense<0> : tensor<i8>")));
  Tracer tracer;
  Value x = tracer.argument({f32, {7}});
  EXPECT_THAT(message_of([&] { window_and(x, {3}); }),
              HasSubstr("window_and: expects booleans or integers, got f32[7]"));
}

TEST(Windows, RejectWhatIsNoWindow) {
  Tracer tracer;
  Value x = tracer.argument({f32, {7, 6}});
  EXPECT_THAT(message_of([&] { window_max(x, {3}); }),
              HasSubstr("window_max: window [3] given for 2 dimensions [7,6] (window_test.cc:"));
  EXPECT_THAT(message_of([&] {
                window_max(x, {3, 0});
              }),
              HasSubstr("window_max: the window size of dimension 1 is 0, less than 1"));
  EXPECT_THAT(message_of([&] {
                window_sum(x, {3, 2}, {.stride = {1, 0}});
              }),
              HasSubstr("window_sum: the stride of dimension 1 is 0, less than 1"));
  EXPECT_THAT(message_of([&] {
                window_sum(x, {3, 2}, {.stride = {1}});
              }),
              HasSubstr("window_sum: strides [1] given for 2 dimensions [7,6]"));
  Padding cut{.low = {-5, 0}, .high = {-3, 0}};
  EXPECT_THAT(message_of([&] {
                window_sum(x, {3, 2}, {.padding = cut});
              }),
              HasSubstr("padding -5 and -3 remove more than the 7 elements of dimension 0"));
}

TEST(CumSum, IsOneWindowOverAllBefore) {
  std::string text = text_of({{f32, {2, 5}}}, [](std::span<const Value> args) {
    return std::vector<Value>{cumsum(args[0], -1)};
  });
  EXPECT_THAT(text, AllOf(HasSubstr("window_dimensions = array<i64: 1, 5>"),
                          HasSubstr("padding = dense<[[0, 0], [4, 0]]>")));
}

TEST(CumSum, RejectsADimensionThatIsNotThere) {
  Tracer tracer;
  Value x = tracer.argument({f32, {2, 5}});
  EXPECT_THAT(message_of([&] { cumsum(x, 2); }),
              HasSubstr("cumsum: there is no dimension 2 in f32[2,5] (window_test.cc:"));
  EXPECT_THAT(message_of([&] { cumprod(x, -3); }), HasSubstr("cumprod: there is no dimension -3"));
}

TEST(AssociativeScan, CombinesAboutTwiceLogNTimes) {
  Tracer tracer;
  int combined = 0;
  auto count = [&](std::span<const Value> before, std::span<const Value>) {
    ++combined;
    return std::vector<Value>{before[0]};
  };
  Value x = tracer.argument({f32, {3, 64}});
  EXPECT_EQ(associative_scan({x}, 1, count)[0].type(), x.type());
  EXPECT_LE(combined, 12);
}

}  // namespace
}  // namespace meshwright::graph
