// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/index_dims_testutil.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Gather : public TracedTest {};

TEST_F(Gather, CombinesBatchAndWindowDimensions) {
  Value y = gather(arg(f32, {4, 6, 5}), arg(s32, {4, 3, 2}), example_index_dims(), {1, 2, 1},
                   {.mode = OutOfBounds::promise, .indices_are_sorted = true});
  EXPECT_EQ(y.dims(), (Dims{4, 2, 3}));
  EXPECT_THAT(
      text(y),
      HasSubstr("<{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = "
                "[2], operand_batching_dims = [0], start_indices_batching_dims = [0], "
                "start_index_map = [1, 2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 2, "
                "1>, indices_are_sorted = true}>"));
}

struct BadNumbers {
  const char* what;
  std::function<void(IndexDims&, Dims&)> spoil;
  const char* message;
};

TEST_F(Gather, RejectsNumbersThatContradictTheArrays) {
  const std::vector<BadNumbers> all = {
      {"c1", [](auto& d, auto&) { d.offset_dims = {}; },
       "the rank of f32[4,6,5] is not the number of"},
      {"c2", [](auto& d, auto&) { d.index_vector_dim = 4; },
       "index_vector_dim 4 is out of range for the indices"},
      {"c3", [](auto& d, auto&) { d.start_index_map = {1}; },
       "does not match index vectors of 2 elements"},
      {"c4",
       [](auto& d, auto&) {
         d.offset_dims = {2, 1};
         d.collapsed_slice_dims = {};
       },
       "offset_dims [2,1] are not increasing"},
      {"c5", [](auto& d, auto&) { d.offset_dims = {3}; }, "not distinct dimensions of rank 3"},
      {"c6", [](auto& d, auto&) { d.collapsed_slice_dims = {0}; },
       "collapsed_slice_dims [0] and operand_batching_dims [0] overlap"},
      {"c7",
       [](auto& d, auto&) {
         d.collapsed_slice_dims = {2, 1};
       },
       "collapsed_slice_dims [2,1] are not increasing"},
      {"c8", [](auto& d, auto&) { d.collapsed_slice_dims = {3}; },
       "collapsed_slice_dims [3] are not distinct dimensions of the array f32[4,6,5]"},
      {"c9",
       [](auto&, auto& sizes) {
         sizes = {1, 2, 2};
       },
       "larger than 1 along dimension 2"},
      {"c10",
       [](auto& d, auto&) {
         d.operand_batching_dims = {1, 0};
       },
       "operand_batching_dims [1,0] are not increasing"},
      {"c11", [](auto& d, auto&) { d.operand_batching_dims = {3}; },
       "operand_batching_dims [3] are not distinct"},
      {"c12",
       [](auto&, auto& sizes) {
         sizes = {2, 2, 1};
       },
       "larger than 1 along dimension 0"},
      {"c13",
       [](auto& d, auto&) {
         d.start_indices_batching_dims = {0, 0};
       },
       "start_indices_batching_dims [0,0] are not distinct"},
      {"c14", [](auto& d, auto&) { d.start_indices_batching_dims = {3}; },
       "start_indices_batching_dims [3] are not distinct"},
      {"c15", [](auto& d, auto&) { d.start_indices_batching_dims = {2}; },
       "index_vector_dim 2 is one of start_indices_batching_dims [2]"},
      {"c16", [](auto& d, auto&) { d.start_indices_batching_dims = {}; }, "do not match"},
      {"c17", [](auto& d, auto&) { d.start_indices_batching_dims = {1}; },
       "operand_batching_dims [0] of f32[4,6,5] and start_indices_batching_dims [1] of "
       "s32[4,3,2] do not match"},
      {"c18",
       [](auto& d, auto&) {
         d.start_index_map = {0, 1};
       },
       "start_index_map [0,1] and operand_batching_dims [0] overlap"},
      {"c19",
       [](auto& d, auto&) {
         d.start_index_map = {1, 3};
       },
       "start_index_map [1,3] are not"},
      {"c20",
       [](auto&, auto& sizes) {
         sizes = {1, 2};
       },
       "slice_sizes [1,2] do not have one number per dimension"},
      {"c21",
       [](auto&, auto& sizes) {
         sizes = {1, 7, 1};
       },
       "[1,7,1] does not fit into f32[4,6,5]"},
  };
  Value x = arg(f32, {4, 6, 5});
  Value indices = arg(s32, {4, 3, 2});
  for (const BadNumbers& bad : all) {
    IndexDims dims = example_index_dims();
    Dims sizes = {1, 2, 1};
    bad.spoil(dims, sizes);
    EXPECT_THAT(message_of([&] { gather(x, indices, dims, sizes); }),
                AllOf(HasSubstr("gather: "), HasSubstr(bad.message)))
        << bad.what;
  }
  EXPECT_THAT(message_of([&] {
                gather(x, arg(f32, {4, 3, 2}), example_index_dims(), {1, 2, 1});
              }),
              HasSubstr("the indices are f32[4,3,2], not integers"));
}

TEST_F(Gather, FillsWhereAWindowReachesOut) {
  Value y = gather(arg(f32, {4, 6, 5}), arg(s32, {4, 3, 2}), example_index_dims(), {1, 2, 1});
  std::string written = text(y);
  EXPECT_THAT(written, HasSubstr("dense<4> : tensor<4x3xi32>"));  // the last place of a window of 2
  EXPECT_THAT(written, HasSubstr("dense<0x7FC00000> : tensor<4x2x3xf32>"));
  EXPECT_THAT(written, HasSubstr("broadcast_dimensions = array<i64: 0, 2>"));
}

TEST_F(Gather, FillsWithTheExtremeOfIntegers) {
  auto fill_text = [&](DType dtype, GatherOptions options = {}) {
    Tracer inner;
    return write_stablehlo(
        inner.finish({take(inner.argument({dtype, {5}}), inner.argument({s32, {3}}), 0, options)}));
  };
  EXPECT_THAT(fill_text(s32), HasSubstr("dense<-2147483648> : tensor<3xi32>"));
  EXPECT_THAT(fill_text(u8), HasSubstr("dense<255> : tensor<3xui8>"));
  EXPECT_THAT(fill_text(u64), HasSubstr("dense<18446744073709551615> : tensor<3xui64>"));
  EXPECT_THAT(fill_text(s64), HasSubstr("dense<-9223372036854775808> : tensor<3xi64>"));
  EXPECT_THAT(fill_text(pred), HasSubstr("dense<true> : tensor<3xi1>"));
  EXPECT_THAT(fill_text(f32, {.fill_value = 7}), HasSubstr("dense<7.0e+00> : tensor<3xf32>"));
}

TEST_F(Gather, NarrowIndicesAreNotComparedWithWhatTheyCannotSay) {
  Value y = take(arg(f32, {300}), arg(u8, {3}));
  EXPECT_THAT(text(y), Not(HasSubstr("stablehlo.compare")));
}

TEST_F(Gather, TakePutsTheIndicesInPlaceOfTheDimension) {
  Value x = arg(f32, {4, 6, 5});
  Value ids = arg(s32, {2, 3});
  EXPECT_EQ(take(x, ids).dims(), (Dims{2, 3, 6, 5}));
  EXPECT_EQ(take(x, ids, 1).dims(), (Dims{4, 2, 3, 5}));
  EXPECT_EQ(take(x, ids, -1).dims(), (Dims{4, 6, 2, 3}));
  EXPECT_THAT(message_of([&] { take(x, ids, 3); }),
              HasSubstr("take: there is no dimension 3 in f32[4,6,5]"));
  EXPECT_THAT(message_of([&] { take(x, x, 1); }), HasSubstr("not integers"));
  Value clipped = take(x, ids, 1, {.mode = OutOfBounds::clip});
  EXPECT_THAT(text(clipped), AllOf(HasSubstr("offset_dims = [0, 3], collapsed_slice_dims = [1]"),
                                   HasSubstr("start_index_map = [1], index_vector_dim = 2"),
                                   Not(HasSubstr("stablehlo.select"))));
}

TEST_F(Gather, TakeAlongDimRepeatsDimensionsOfSizeOne) {
  Value x = arg(f32, {4, 6, 5});
  EXPECT_EQ(take_along_dim(x, arg(s32, {4, 2, 5}), 1).dims(), (Dims{4, 2, 5}));
  EXPECT_EQ(take_along_dim(x, arg(s32, {4, 2, 1}), 1).dims(), (Dims{4, 2, 5}));
  EXPECT_EQ(take_along_dim(arg(f32, {1, 6, 5}), arg(s32, {4, 2, 5}), 1).dims(), (Dims{4, 2, 5}));
  EXPECT_EQ(take_along_dim(x, arg(s32, {1, 1, 2}), -1).dims(), (Dims{4, 6, 2}));
  EXPECT_THAT(message_of([&] {
                take_along_dim(x, arg(s32, {3, 2, 5}), 1);
              }),
              HasSubstr("take_along_dim: dimension 0 of f32[4,6,5] and of indices s32[3,2,5]"));
  EXPECT_THAT(message_of([&] {
                take_along_dim(x, arg(s32, {4, 2}), 1);
              }),
              HasSubstr("differ in rank"));
}

TEST_F(Gather, OneHotAddsADimension) {
  EXPECT_EQ(one_hot(arg(s32, {2, 3}), 7, f32).type(), Type(f32, {2, 3, 7}));
  EXPECT_EQ(one_hot(arg(s32, {2, 3}), 7, bf16, 0).type(), Type(bf16, {7, 2, 3}));
  EXPECT_THAT(message_of([&] { one_hot(arg(f32, {2}), 7, f32); }),
              HasSubstr("one_hot: the indices are f32[2], not integers"));
  Value wide = one_hot(arg(u8, {2}), 300, f32);
  EXPECT_THAT(text(wide), HasSubstr("tensor<2x300xi32>"));
}

}  // namespace
}  // namespace meshwright::graph
