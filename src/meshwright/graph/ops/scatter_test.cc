// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/scatter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/index_dims_testutil.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Scatter : public TracedTest {};

TEST_F(Scatter, WritesItsNumbersAndTheCombination) {
  Value y = scatter_max(arg(f32, {4, 6, 5}), arg(s32, {4, 3, 2}), arg(f32, {4, 2, 3}),
                        example_index_dims(), {.unique_indices = true});
  EXPECT_EQ(y.dims(), (Dims{4, 6, 5}));
  EXPECT_THAT(
      text(y),
      AllOf(HasSubstr("<{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                      "inserted_window_dims = [2], input_batching_dims = [0], "
                      "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2], "
                      "index_vector_dim = 2>, indices_are_sorted = false, unique_indices = true}>"),
            HasSubstr("\"stablehlo.maximum\"")));
}

TEST_F(Scatter, OfSetReturnsTheUpdate) {
  Value y = scatter(arg(f32, {5}), arg(s32, {2}), arg(f32, {2}),
                    {.collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1});
  EXPECT_THAT(text(y), HasSubstr("^bb0(%0: tensor<f32>, %1: tensor<f32>):\n"
                                 "\"stablehlo.return\"(%1) : (tensor<f32>) -> ()"));
}

TEST_F(Scatter, RejectsUpdatesThatDoNotFit) {
  Value x = arg(f32, {4, 6, 5});
  Value indices = arg(s32, {4, 3, 2});
  auto message = [&](Value updates) {
    return message_of([&] { scatter_add(x, indices, updates, example_index_dims()); });
  };
  EXPECT_THAT(message(arg(f32, {4, 2, 2})),
              HasSubstr("scatter_add: updates f32[4,2,2] for indices s32[4,3,2] into f32[4,6,5] "
                        "should be f32[4,2,3]"));
  EXPECT_THAT(message(arg(f32, {4, 7, 3})), HasSubstr("a window of [1,7,1] does not fit"));
  EXPECT_THAT(message(arg(bf16, {4, 2, 3})), HasSubstr("dtypes differ"));
  EXPECT_THAT(message(arg(f32, {})), HasSubstr("offset_dims [1] are not distinct"));
}

TEST_F(Scatter, RejectsNumbersThatContradictTheArrays) {
  Value x = arg(f32, {4, 6, 5});
  IndexDims dims = example_index_dims();
  dims.start_index_map = {1, 3};
  for (OutOfBounds mode : {OutOfBounds::fill, OutOfBounds::clip, OutOfBounds::promise}) {
    EXPECT_THAT(message_of([&] {
                  scatter_mul(x, arg(s32, {4, 3, 2}), arg(f32, {4, 2, 3}), dims, {.mode = mode});
                }),
                HasSubstr("scatter_mul: start_index_map [1,3] are not"));
  }
  EXPECT_THAT(message_of([&] {
                scatter_min(arg(pred, {4, 6, 5}), arg(s32, {4, 3, 2}), arg(pred, {4, 2, 3}),
                            example_index_dims());
              }),
              HasSubstr("scatter_min: expects numbers"));
}

TEST_F(Scatter, ClipMovesEachComponentOfTheIndices) {
  Value y = scatter_add(arg(f32, {4, 6, 5}), arg(s32, {4, 3, 2}), arg(f32, {4, 2, 3}),
                        example_index_dims(), {.mode = OutOfBounds::clip});
  std::string written = text(y);
  EXPECT_THAT(written, HasSubstr("dense<4> : tensor<4x3x1xi32>"));
  EXPECT_THAT(written, HasSubstr("\"stablehlo.concatenate\""));
  EXPECT_EQ(written.find("stablehlo.scatter\""), written.rfind("stablehlo.scatter\""));
}

TEST_F(Scatter, SegmentSumTakesTheLeadingDimensions) {
  Value data = arg(f32, {4, 3, 5});
  EXPECT_EQ(segment_sum(data, arg(s32, {4, 3}), 7).dims(), (Dims{7, 5}));
  EXPECT_EQ(segment_sum(data, arg(s32, {4}), 7).dims(), (Dims{7, 3, 5}));
  EXPECT_THAT(message_of([&] { segment_sum(data, arg(s32, {3}), 7); }),
              HasSubstr("segment_sum: the dimensions of ids s32[3] are not the leading ones of "
                        "f32[4,3,5]"));
}

}  // namespace
}  // namespace meshwright::graph
