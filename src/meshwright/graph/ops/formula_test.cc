// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/formula.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const mesh::Mesh kMesh({{"d", 2}, {"t", 4}});

// Runs `body` on the parts of f32[8,16] "rows/d cols/t" and s32[8] "rows/d".
void on_parts(const std::function<void(Value x, Value ids)>& body) {
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 16}});
  Value ids = tracer.argument({s32, {8}});
  manual({{x, "rows/d cols/t"}, {ids, "rows/d"}}, {"rows/d"}, [&](std::span<const Value> parts) {
    body(parts[0], parts[1]);
    return std::vector<Value>{parts[1]};
  });
}

std::string error_of(const std::function<void(Value x, Value ids)>& body) {
  return message_of([&] { on_parts(body); });
}

TEST(Formula, ChangesTheSizesOfParts) {
  on_parts([](Value x, Value ids) {
    EXPECT_EQ(all_gather("rows/d cols/t -> rows cols/t", x).dims(), (Dims{8, 4}));
    EXPECT_EQ(all_gather("rows/d cols/t -> rows cols", x).dims(), (Dims{8, 16}));
    EXPECT_EQ(reduce_scatter("rows/d 4 -> rows/d/t 4", x).dims(), (Dims{1, 4}));
    EXPECT_EQ(einsum_unreduced("rows/d cols/t, rows/d cols/t -> rows/d", x, x).dims(), Dims{4});
    EXPECT_EQ(index_unreduced("rows/d cols/t, cols/t -> cols/t", x, ids).dims(), Dims{4});
    EXPECT_EQ(index_unreduced("vocab/d width/t, 8/d -> 8/d width/t", x, ids).dims(), (Dims{4, 4}));
  });
}

TEST(Formula, ATermOfASumVariesOverWhatSplitsIt) {
  on_parts([](Value x, Value ids) {
    Value whole = all_gather_replicated(x, 0, {"d"});
    EXPECT_EQ(einsum_unreduced("rows cols/t, rows cols/t -> rows", whole, whole).type().varying,
              mesh::AxisSet::of(1));
    Value even = all_gather_replicated(ids, 0, {"d"});
    EXPECT_EQ(index_unreduced("8 16/t, rows -> rows 8", whole, even).type().varying,
              mesh::AxisSet::of(1));
  });
}

TEST(Formula, NamesWhatDoesNotFit) {
  EXPECT_THAT(error_of([](Value x, Value) { all_gather("rows/d cols -> rows cols", x); }),
              AllOf(HasSubstr("all_gather: axis 'cols' is 16"), HasSubstr("but 4 in f32[4,4]")));
  EXPECT_THAT(error_of([](Value x, Value) { all_gather("rows/d cols/t -> rows cols/t/d", x); }),
              AllOf(HasSubstr("dimension 1 cannot be 'cols/t' on one side and 'cols/t/d' on the"),
                    HasSubstr("'rows/d cols/t -> rows cols/t/d' (formula_test.cc:")));
  EXPECT_THAT(error_of([](Value x, Value) { all_gather("rows/d cols/t -> cols rows", x); }),
              HasSubstr("dimension 0 cannot be"));
  EXPECT_THAT(error_of([](Value x, Value) { reduce_scatter("rows/d cols/t -> rows/d", x); }),
              HasSubstr("one side has 2 dimensions, the other 1"));
  EXPECT_THAT(error_of([](Value x, Value) { all_gather("rows/d cols/t, a -> rows cols/t", x); }),
              HasSubstr("2 inputs for 1 operands"));
  EXPECT_THAT(error_of([](Value x, Value) { reduce_scatter("rows/d 4 -> rows/d 4/m", x); }),
              HasSubstr("mesh axis 'm' does not exist"));
}

TEST(EinsumUnreduced, WantsAnAxisSplitAlikeEverywhere) {
  EXPECT_THAT(error_of([](Value x, Value) {
                Value w = all_gather("rows/d cols/t -> rows cols/t", x);
                einsum_unreduced("rows/d cols/t, rows cols/t -> cols/t", x, w);
              }),
              AllOf(HasSubstr("axis 'rows' is written as both 'rows/d' and 'rows'"),
                    HasSubstr("all_gather or split one of them")));
  EXPECT_THAT(error_of([](Value x, Value) {
                einsum_unreduced("rows/d cols/t, rows/d cols/t -> rows/d cols", x, x);
              }),
              HasSubstr("axis 'cols' is written as both 'cols/t' and 'cols'"));
  EXPECT_THAT(error_of([](Value x, Value) {
                Value w = all_gather("rows/d cols/t -> rows/d cols", x);
                einsum_unreduced("rows/d cols/t, rows/d cosl -> rows/d", x, w);
              }),
              HasSubstr("axis 'cols' is in only one input and not in the result"));
  EXPECT_THAT(error_of([](Value x, Value) {
                einsum_unreduced("rows/d cols/t, rows/d cols/t -> rows/d other", x, x);
              }),
              HasSubstr("axis 'other' of the result is in no input"));
  EXPECT_THAT(error_of([](Value x, Value) {
                einsum_unreduced("rows/d cols/t, rows/d cols/t -> cols/t", x, cast(x, bf16));
              }),
              HasSubstr("dtypes differ: f32[4,4] and bf16[4,4]"));
}

TEST(IndexUnreduced, LooksUpTheOneDimensionTheResultLacks) {
  EXPECT_THAT(error_of([](Value x, Value ids) {
                index_unreduced("vocab/d width/t, rows/d -> rows/d", x, ids);
              }),
              HasSubstr("lacks 'vocab/d' and 'width/t' of the table"));
  EXPECT_THAT(error_of([](Value x, Value) {
                index_unreduced("vocab/d width/t, rows/d -> rows/d width/t", x, x);
              }),
              HasSubstr("has 1 dimensions"));
  EXPECT_THAT(error_of([](Value x, Value) {
                index_unreduced("vocab/d width/t, rows/d 4 -> rows/d 4 width/t", x, x);
              }),
              HasSubstr("expects integer indices, got f32[4,4]"));
  EXPECT_THAT(error_of([](Value x, Value ids) {
                index_unreduced("rows/d cols/t, rows/d -> cols/t", x, ids);
              }),
              HasSubstr("the indices have the axis that is looked up"));
}

}  // namespace
}  // namespace meshwright::graph
