// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/basic.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

class Slice : public TracedTest {};

TEST_F(Slice, CountsStridesUpToTheLimit) {
  Value y = slice(arg(f32, {10, 4}), {1, 2}, {8, 2}, {3, 1});
  EXPECT_EQ(y.dims(), (Dims{3, 0}));
  EXPECT_THAT(text(y), HasSubstr("\"stablehlo.slice\"(%arg0) <{start_indices = array<i64: 1, 2>, "
                                 "limit_indices = array<i64: 8, 2>, strides = array<i64: 3, 1>}>"));
}

TEST_F(Slice, OfEverythingIsTheValueItself) {
  Value x = arg(f32, {10, 4});
  EXPECT_EQ(slice(x, {0, 0}, {10, 4}), x);
  EXPECT_EQ(take_slice(x, 0, 0), x);
}

TEST_F(Slice, RejectsWhatIsOutside) {
  Value x = arg(f32, {10, 4});
  EXPECT_THAT(message_of([&] {
                slice(x, {0, 0}, {11, 4});
              }),
              HasSubstr("slice: 0 to 11 is outside dimension 0 of f32[10,4]"));
  EXPECT_THAT(message_of([&] { slice(x, {0, -1}, {10, 4}); }), HasSubstr("-1 to 4 is outside"));
  EXPECT_THAT(message_of([&] { slice(x, {5, 0}, {4, 4}); }), HasSubstr("5 to 4 is outside"));
  EXPECT_THAT(message_of([&] {
                slice(x, {0, 0}, {10, 4}, {0, 1});
              }),
              HasSubstr("stride 0 is not positive in dimension 0"));
  EXPECT_THAT(message_of([&] { slice(x, {0}, {10}); }), HasSubstr("one number per dimension"));
}

TEST_F(Slice, TakeSliceCountsFromTheEnd) {
  Value x = arg(f32, {10, 4});
  EXPECT_EQ(take_slice(x, 0, 1, -1).dims(), (Dims{8, 4}));
  EXPECT_EQ(take_slice(x, -1, -3).dims(), (Dims{10, 3}));
  EXPECT_THAT(message_of([&] { take_slice(x, 1, 2, 5); }),
              HasSubstr("take_slice: 2 to 5 is outside dimension 1 of f32[10,4]"));
  EXPECT_THAT(message_of([&] { take_slice(x, 1, -5); }), HasSubstr("take_slice: -5 to"));
  EXPECT_THAT(message_of([&] { take_slice(x, 2, 0); }),
              HasSubstr("there is no dimension 2 in f32[10,4]"));
}

TEST_F(Slice, TakeIndexDropsTheDimension) {
  Value x = arg(f32, {10, 4});
  EXPECT_EQ(take_index(x, 0, 3).dims(), (Dims{4}));
  EXPECT_EQ(take_index(x, -1, -1).dims(), (Dims{10}));
  EXPECT_THAT(message_of([&] { take_index(x, 1, 4); }), HasSubstr("4 to 5 is outside"));
}

TEST_F(Slice, SplitCoversTheDimension) {
  Value x = arg(f32, {10, 4});
  std::vector<Value> parts = split(x, 0, {1, 0, 9});
  EXPECT_EQ(parts[0].dims(), (Dims{1, 4}));
  EXPECT_EQ(parts[1].dims(), (Dims{0, 4}));
  EXPECT_EQ(parts[2].dims(), (Dims{9, 4}));
  EXPECT_EQ(split_evenly(x, 1, 2)[1].dims(), (Dims{10, 2}));
  EXPECT_THAT(message_of([&] {
                split(x, 0, {1, 2});
              }),
              HasSubstr("split: parts of [1,2] do not add up to dimension 0 of f32[10,4]"));
  EXPECT_THAT(message_of([&] { split_evenly(x, 0, 3); }), HasSubstr("not divisible by 3"));
}

TEST_F(Slice, DynamicSliceTakesNumbersAsStarts) {
  Value x = arg(f32, {10, 4});
  Value i = arg(u32, {});
  Value y = dynamic_slice(x, {i, 1}, {3, 2});
  EXPECT_EQ(y.dims(), (Dims{3, 2}));
  std::string written = text(y);
  EXPECT_THAT(written, HasSubstr("dense<1> : tensor<ui32>"));
  EXPECT_THAT(written, HasSubstr("<{slice_sizes = array<i64: 3, 2>}> : "
                                 "(tensor<10x4xf32>, tensor<ui32>, tensor<ui32>)"));
}

TEST_F(Slice, DynamicSliceRejectsWhatDoesNotFit) {
  Value x = arg(f32, {10, 4});
  Value i = arg(s32, {});
  EXPECT_THAT(message_of([&] {
                dynamic_slice(x, {i, 0}, {11, 4});
              }),
              HasSubstr("dynamic_slice: a slice of [11,4] does not fit into f32[10,4]"));
  EXPECT_THAT(message_of([&] {
                dynamic_slice(x, {i}, {1, 4});
              }),
              HasSubstr("1 starts given, one expected per dimension of f32[10,4]"));
  EXPECT_THAT(message_of([&] {
                dynamic_slice(x, {i, arg(s64, {})}, {1, 4});
              }),
              HasSubstr("start 1 is s64[]; starts must be scalar integers of one dtype"));
  EXPECT_THAT(message_of([&] {
                dynamic_slice(x, {arg(f32, {}), 0.0}, {1, 4});
              }),
              HasSubstr("start 0 is f32[]"));
}

TEST_F(Slice, DynamicUpdateSliceKeepsTheShape) {
  Value x = arg(f32, {10, 4});
  Value i = arg(s32, {});
  EXPECT_EQ(dynamic_update_slice_in_dim(x, arg(f32, {2, 4}), 0, i).dims(), x.dims());
  EXPECT_THAT(message_of([&] {
                dynamic_update_slice(x, arg(f32, {2, 5}), {i, 0});
              }),
              HasSubstr("an update of [2,5] does not fit into f32[10,4]"));
  EXPECT_THAT(message_of([&] {
                dynamic_update_slice(x, arg(f32, {2}), {i, 0});
              }),
              HasSubstr("an update of [2] does not fit"));
  EXPECT_THAT(message_of([&] {
                dynamic_update_slice(x, arg(bf16, {2, 4}), {i, 0});
              }),
              HasSubstr("dtypes differ: f32[10,4] and update bf16[2,4]"));
}

TEST_F(Slice, DynamicSliceInDimStartsAtZeroElsewhere) {
  Value x = arg(f32, {10, 4});
  Value y = dynamic_slice_in_dim(x, -1, arg(s32, {}), 2);
  EXPECT_EQ(y.dims(), (Dims{10, 2}));
  EXPECT_THAT(text(y), HasSubstr("\"stablehlo.dynamic_slice\"(%arg0, %0, %arg1)"));
  EXPECT_THAT(message_of([&] { dynamic_slice_in_dim(y, 2, 0, 1); }),
              HasSubstr("there is no dimension 2 in f32[10,2]"));
}

}  // namespace
}  // namespace meshwright::graph
