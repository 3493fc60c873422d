// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/sort.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Sort : public TracedTest {};

TEST_F(Sort, KeepsTypesAndNamesTheDimension) {
  std::vector<Value> sorted = sort({arg(s32, {2, 5}), arg(bf16, {2, 5})}, {.dim = 0});
  EXPECT_EQ(sorted[0].type(), Type(s32, {2, 5}));
  EXPECT_EQ(sorted[1].type(), Type(bf16, {2, 5}));
  EXPECT_THAT(text(sorted[1]), HasSubstr("<{dimension = 0 : i64, is_stable = true}>"));
}

TEST_F(Sort, ComparesIntegersAsTheyAre) {
  std::string written = text(sort(arg(u8, {5}), {.descending = true, .stable = false}));
  EXPECT_THAT(written,
              AllOf(HasSubstr("comparison_direction GT"), HasSubstr("comparison_type UNSIGNED"),
                    HasSubstr("is_stable = false"), Not(HasSubstr("stablehlo.select"))));
}

TEST_F(Sort, ComparesFloatsInATotalOrderWithOneZeroAndOneNan) {
  std::string written = text(sort(arg(f32, {5})));
  EXPECT_THAT(written,
              AllOf(HasSubstr("comparison_type TOTALORDER"), HasSubstr("dense<0x7FC00000>"),
                    HasSubstr("comparison_direction EQ"), HasSubstr("comparison_direction NE")));
}

TEST_F(Sort, RejectsWhatDoesNotFit) {
  Value x = arg(f32, {2, 5});
  EXPECT_THAT(message_of([&] { sort(x, {.dim = 2}); }),
              HasSubstr("sort: there is no dimension 2 in f32[2,5]"));
  EXPECT_THAT(message_of([&] {
                sort({x, arg(f32, {5, 2})});
              }),
              HasSubstr("operand 1 is f32[5,2], which differs in shape from f32[2,5]"));
  EXPECT_THAT(message_of([&] { sort(x, {.num_keys = 2}); }),
              HasSubstr("2 keys given for 1 operands"));
  EXPECT_THAT(message_of([&] { sort(x, {.num_keys = 0}); }), HasSubstr("0 keys"));
  EXPECT_THAT(message_of([&] { sort(std::vector<Value>{}); }), HasSubstr("no arrays"));
  EXPECT_THAT(message_of([&] { argsort(arg(f32, {})); }),
              HasSubstr("argsort: there is no dimension -1 in f32[]"));
}

TEST_F(Sort, ArgsortGivesIndices) {
  EXPECT_EQ(argsort(arg(f32, {2, 5})).type(), Type(s32, {2, 5}));
}

TEST_F(Sort, TopKShortensTheDimension) {
  Value x = arg(f32, {4, 6, 5});
  TopK last = top_k(x, 2);
  EXPECT_EQ(last.values.type(), Type(f32, {4, 6, 2}));
  EXPECT_EQ(last.indices.type(), Type(s32, {4, 6, 2}));
  EXPECT_EQ(top_k(x, 3, 0).values.dims(), (Dims{3, 6, 5}));
  EXPECT_THAT(message_of([&] { top_k(x, 6); }),
              HasSubstr("top_k: cannot take 6 elements along the last dimension of f32[4,6,5]"));
  EXPECT_THAT(message_of([&] { top_k(x, -1); }), HasSubstr("cannot take -1 elements"));
  EXPECT_THAT(text(last.values), HasSubstr("\"chlo.top_k\"(%arg0) <{k = 2 : i64}>"));
}

TEST_F(Sort, TopKOfNarrowFloatsRunsInF32) {
  Value values = top_k(arg(bf16, {8}), 2).values;
  EXPECT_EQ(values.type(), Type(bf16, {2}));
  EXPECT_THAT(text(values), HasSubstr("\"chlo.top_k\"(%0) <{k = 2 : i64}> : (tensor<8xf32>)"));
}

}  // namespace
}  // namespace meshwright::graph
