// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/reduce.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

class Shape : public TracedTest {};

TEST_F(Shape, ReshapeKeepsTheNumberOfElements) {
  Value x = arg(f32, {2, 3});
  EXPECT_EQ(reshape(x, {3, 2}).dims(), (Dims{3, 2}));
  EXPECT_EQ(reshape(x, {2, 3}), x);
  EXPECT_THAT(message_of([&] { reshape(x, {4}); }),
              HasSubstr("reshape: f32[2,3] does not have as many elements as [4]"));
  EXPECT_THAT(message_of([&] { reshape(x, {-2, -3}); }), HasSubstr("negative size"));
}

TEST_F(Shape, TransposePermutesTheSizes) {
  Value y = transpose(arg(f32, {2, 3, 5}), {2, 0, 1});
  EXPECT_EQ(y.dims(), (Dims{5, 2, 3}));
  EXPECT_THAT(text(y),
              HasSubstr("\"stablehlo.transpose\"(%arg0) <{permutation = array<i64: 2, 0, 1>}> : "
                        "(tensor<2x3x5xf32>) -> tensor<5x2x3xf32>"));
}

TEST_F(Shape, TransposeOfNothingIsTheValueItself) {
  Value x = arg(f32, {2, 3});
  EXPECT_EQ(transpose(x, {0, 1}), x);
  EXPECT_EQ(transpose(x, {0, -1}), x);
}

TEST_F(Shape, TransposeRejectsWhatIsNoPermutation) {
  Value x = arg(f32, {2, 3});
  for (const Dims& wrong : {Dims{0}, Dims{0, 0}, Dims{0, 2}, Dims{-3, 0}}) {
    EXPECT_THAT(
        message_of([&] { transpose(x, wrong); }),
        HasSubstr(str("transpose: ", wrong, " does not permute the dimensions of f32[2,3]")));
  }
}

TEST_F(Shape, SwapDimsCountsFromTheEnd) {
  Value x = arg(f32, {2, 3, 5});
  EXPECT_EQ(swap_dims(x, 0, -1).dims(), (Dims{5, 3, 2}));
  EXPECT_THAT(message_of([&] { swap_dims(x, 0, 3); }),
              HasSubstr("swap_dims: 0 and 3 are not both dimensions of f32[2,3,5]"));
}

TEST_F(Shape, ReverseNamesDimensionsOnce) {
  Value x = arg(bf16, {2, 3});
  EXPECT_THAT(message_of([&] {
                reverse(x, {1, -1});
              }),
              HasSubstr("reverse: [1,1] are not distinct dimensions of bf16[2,3]"));
  EXPECT_THAT(message_of([&] { reverse(x, {2}); }), HasSubstr("reverse: [2] are not"));
  EXPECT_EQ(reverse(x, {}), x);
  EXPECT_THAT(text(reverse(x, {-1})),
              HasSubstr("\"stablehlo.reverse\"(%arg0) <{dimensions = array<i64: 1>}>"));
}

TEST_F(Shape, ConcatenateAddsSizesUp) {
  Value y = concatenate({arg(f32, {2, 3}), arg(f32, {2, 4}), arg(f32, {2, 0})}, -1);
  EXPECT_EQ(y.dims(), (Dims{2, 7}));
  EXPECT_THAT(text(y),
              HasSubstr("\"stablehlo.concatenate\"(%arg0, %arg1, %arg2) <{dimension = 1 : i64}>"));
}

TEST_F(Shape, ConcatenateRejectsPartsThatDiffer) {
  Value x = arg(f32, {2, 3});
  EXPECT_THAT(message_of([&] {
                concatenate({x, arg(f32, {3, 3})}, 1);
              }),
              HasSubstr("concatenate: part 1 is f32[3,3], which differs from f32[2,3] in more than "
                        "dimension 1"));
  EXPECT_THAT(message_of([&] { concatenate({x, arg(bf16, {2, 3})}, 1); }), HasSubstr("bf16[2,3]"));
  EXPECT_THAT(message_of([&] { concatenate({x, arg(f32, {2})}, 1); }), HasSubstr("f32[2]"));
  EXPECT_THAT(message_of([&] { concatenate({x}, 2); }),
              HasSubstr("there is no dimension 2 in f32[2,3]"));
  EXPECT_THAT(message_of([&] { concatenate({}, 0); }), HasSubstr("no arrays"));
}

TEST_F(Shape, StackMakesADimension) {
  Value x = arg(f32, {2, 3});
  EXPECT_EQ(stack({x, x, x, x}, 1).dims(), (Dims{2, 4, 3}));
  EXPECT_EQ(stack({x, x}, -1).dims(), (Dims{2, 3, 2}));
  EXPECT_THAT(message_of([&] {
                stack({x, reshape(x, {3, 2})}, 0);
              }),
              HasSubstr("stack: f32[2,3] and f32[3,2] differ in shape"));
}

TEST_F(Shape, PadGrowsCutsAndSpreads) {
  Value x = arg(f32, {4, 3});
  Value y = pad(x, 0.5, {{1, -1}, {2, 0}, {3, 0}});
  EXPECT_EQ(y.dims(), (Dims{4 + 1 + 2 + 3 * 3, 2}));
  EXPECT_EQ(pad(x, 0, {{0, 0}, {0, 0}}), x);
  EXPECT_EQ(pad(arg(f32, {0}), 0, {{1}, {1}, {5}}).dims(), (Dims{2}));
  EXPECT_THAT(text(y), HasSubstr("edge_padding_low = array<i64: 1, -1>, edge_padding_high = "
                                 "array<i64: 2, 0>, interior_padding = array<i64: 3, 0>"));
}

TEST_F(Shape, PadRejectsWhatDoesNotFit) {
  Value x = arg(f32, {4, 3});
  EXPECT_THAT(message_of([&] {
                pad(x, 0, {{0, -2}, {0, -2}});
              }),
              HasSubstr("pad: low -2 and high -2 remove more than all of dimension 1 of f32[4,3]"));
  EXPECT_THAT(message_of([&] { pad(x, 0, {{1}, {1}}); }), HasSubstr("one number per dimension"));
  EXPECT_THAT(message_of([&] { pad(x, 0, {{0, 0}, {}}); }), HasSubstr("one number per dimension"));
  EXPECT_THAT(message_of([&] {
                pad(x, 0, {{0, 0}, {0, 0}, {0, -1}});
              }),
              HasSubstr("interior [0,-1] is negative"));
  EXPECT_THAT(message_of([&] {
                pad(x, arg(bf16, {}), {{1, 1}, {1, 1}});
              }),
              HasSubstr("the padding value of f32[4,3] is bf16[], not a scalar f32"));
}

TEST_F(Shape, IotaCountsAlongADimension) {
  EXPECT_THAT(message_of([&] {
                iota(f32, {2, 3}, 2);
              }),
              HasSubstr("iota: there is no dimension 2 in f32[2,3]"));
  EXPECT_THAT(message_of([&] { iota(pred, {2}); }), HasSubstr("expects a numeric dtype"));
  EXPECT_THAT(text(iota(s32, {2, 3}, -1)),
              HasSubstr("\"stablehlo.iota\"() <{iota_dimension = 1 : i64}> : () -> "
                        "tensor<2x3xi32>"));
}

TEST_F(Shape, DimensionsOfSizeOneComeAndGo) {
  Value x = arg(f32, {2, 3});
  EXPECT_EQ(expand_dims(x, {0, -1}).dims(), (Dims{1, 2, 3, 1}));
  EXPECT_EQ(squeeze(expand_dims(x, {1}), {1}).dims(), x.dims());
  EXPECT_THAT(message_of([&] { expand_dims(x, {4}); }), HasSubstr("expand_dims: [4]"));
  EXPECT_THAT(message_of([&] { squeeze(x, {-1}); }),
              HasSubstr("squeeze: dimension 1 of f32[2,3] does not have size 1"));
}

TEST_F(Shape, FlattenJoinsDimensions) {
  Value x = arg(f32, {2, 3, 5, 7});
  EXPECT_EQ(flatten(x).dims(), (Dims{210}));
  EXPECT_EQ(flatten(x, 1, -2).dims(), (Dims{2, 15, 7}));
  EXPECT_THAT(message_of([&] { flatten(x, 2, 1); }), HasSubstr("flatten: dimensions 2 to 1"));
}

}  // namespace
}  // namespace meshwright::graph
