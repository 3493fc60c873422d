// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/convolution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

std::string conv_text(const ArrayType& lhs, const ArrayType& rhs, const ConvOptions& options = {}) {
  return text_of({lhs, rhs}, [&](std::span<const Value> args) {
    return std::vector<Value>{convolution(args[0], args[1], options)};
  });
}

std::string conv_error(const ArrayType& lhs,
                       const ArrayType& rhs,
                       const ConvOptions& options = {}) {
  return message_of([&] { conv_text(lhs, rhs, options); });
}

const ArrayType kImages{bf16, {2, 7, 6, 4}};
const ArrayType kKernel{bf16, {3, 2, 4, 5}};

TEST(Convolution, WritesWindowLayoutAndGroups) {
  std::string text =
      conv_text(kImages, kKernel, {.stride = {2, 1}, .padding = PaddingRule::same, .out = f32});
  EXPECT_THAT(text, HasSubstr("\"stablehlo.convolution\"(%arg0, %arg1) <{window_strides = "
                              "array<i64: 2, 1>, padding = dense<[[1, 1], [0, 1]]> : "
                              "tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = "
                              "array<i64: 1, 1>, dimension_numbers = #stablehlo.conv<[b, 0, 1, "
                              "f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, "
                              "batch_group_count = 1 : i64"));
  EXPECT_THAT(text, HasSubstr("-> tensor<2x4x6x5xf32>"));
}

TEST(Convolution, FollowsTheLayout) {
  std::string text = conv_text({f32, {4, 2, 7, 6}}, {f32, {3, 2, 4, 5}},
                               {.layout = conv_layout("CNHW", "HWIO", "NHCW")});
  EXPECT_THAT(text, HasSubstr("#stablehlo.conv<[f, b, 0, 1]x[0, 1, i, o]->[b, 0, f, 1]>"));
  EXPECT_THAT(text, HasSubstr("-> tensor<2x5x5x5xf32>"));
}

TEST(Convolution, RejectsOperandsThatDoNotFit) {
  EXPECT_THAT(conv_error(kImages, {bf16, {3, 4, 5}}),
              HasSubstr("convolution: ranks of lhs bf16[2,7,6,4] and kernel bf16[3,4,5] differ"));
  EXPECT_THAT(conv_error(kImages, {f32, kKernel.dims}),
              HasSubstr("dtypes differ: lhs bf16[2,7,6,4] and rhs f32[3,2,4,5]"));
  EXPECT_THAT(conv_error(kImages, {bf16, {3, 2, 3, 5}}),
              HasSubstr("input features: the kernel bf16[3,2,3,5] has 3 but lhs bf16[2,7,6,4] in 1 "
                        "groups has 4 (convolution_test.cc:"));
  EXPECT_THAT(conv_error(kImages, kKernel, {.out = s32}),
              HasSubstr("products of bf16 cannot be summed in s32"));
}

TEST(Convolution, RejectsGroupsThatDoNotDivide) {
  EXPECT_THAT(
      conv_error(kImages, kKernel, {.feature_groups = 3}),
      HasSubstr("dimension 3 of lhs bf16[2,7,6,4] is 4, which is not divisible into 3 groups"));
  EXPECT_THAT(
      conv_error(kImages, {bf16, {3, 2, 2, 5}}, {.feature_groups = 2}),
      HasSubstr("dimension 3 of rhs bf16[3,2,2,5] is 5, which is not divisible into 2 groups"));
  EXPECT_THAT(conv_error(kImages, kKernel, {.feature_groups = 2, .batch_groups = 2}),
              HasSubstr("2 feature groups and 2 batch groups: one of them must be 1"));
  EXPECT_THAT(conv_error(kImages, kKernel, {.batch_groups = 0}), HasSubstr("0 batch groups"));
}

TEST(Convolution, RejectsLayoutsThatDoNotNameEachDimensionOnce) {
  ConvLayout layout = channels_last(4);
  layout.out.inner = 0;
  EXPECT_THAT(conv_error(kImages, kKernel, {.layout = layout}),
              HasSubstr("the layout of the result [0,0,1,2] does not name each of 4 dimensions"));
  EXPECT_THAT(message_of([] { conv_layout("NHW", "HWIO", "NHWC"); }),
              HasSubstr("conv_layout: 'NHW' must contain exactly one 'C'"));
  EXPECT_THAT(message_of([] { conv_layout("NHWDC", "HWIO", "NHWC"); }),
              HasSubstr("conv_layout: 'NHWDC' has letters other than N, C and the kernel's 'HW'"));
}

TEST(Convolution, RejectsAWindowThatDoesNotFit) {
  EXPECT_THAT(conv_error(kImages, kKernel, {.stride = {0, 1}}),
              HasSubstr("convolution: the stride of dimension 0 is 0, less than 1"));
  EXPECT_THAT(conv_error(kImages, kKernel, {.stride = {1}}),
              HasSubstr("convolution: strides [1] given for 2 dimensions [7,6]"));
}

}  // namespace
}  // namespace meshwright::graph
