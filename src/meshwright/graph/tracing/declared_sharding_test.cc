// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/declared_sharding.h"

#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::graph {
namespace {

using mesh::Sharding;

class DeclaredSharding : public testing::Test {
 protected:
  Value arg(Dims dims, std::optional<Sharding> sharding = {}) {
    return tracer.argument({f32, std::move(dims)}, {.sharding = std::move(sharding)});
  }
  static std::string of(const Value& value) {
    std::optional<Sharding> found = find_declared_sharding(value);
    return found ? to_string(*found) : "unknown";
  }

  Tracer tracer{{.mesh = mesh::Mesh({{"d", 2}, {"t", 4}})}};
  Value w = arg({8, 16}, Sharding{{{"d"}, {"t"}}});
  Value stack = arg({3, 8, 16}, Sharding{{{}, {"d"}, {"t"}}});
};

TEST_F(DeclaredSharding, IsThatOfAnArgumentOrAConstraint) {
  EXPECT_EQ(of(w), "[d, t]");
  EXPECT_EQ(of(arg({8})), "unknown");
  EXPECT_EQ(of(constrain(arg({8}), Sharding{{{"t"}}})), "[t]");
  EXPECT_EQ(of(reduce_sum(w, {0})), "unknown");
}

TEST_F(DeclaredSharding, GoesThroughCastsAndArithmetic) {
  EXPECT_EQ(of(cast(w, bf16)), "[d, t]");
  EXPECT_EQ(of(exp(w * 2 + arg({8, 16}))), "[d, t]");
  Value bias = arg({16}, Sharding{{{"t"}}});
  EXPECT_EQ(of(arg({8, 16}) + bias), "[-, t]");
  EXPECT_EQ(of(stop_gradient(w)), "[d, t]");
}

TEST_F(DeclaredSharding, OfTwoArraysIsWhereTheyAgreeOrOneIsWhole) {
  auto sum = [&](Sharding a, Sharding b) { return of(arg({8, 8}, a) + arg({8, 8}, b)); };
  EXPECT_EQ(sum({}, {{{"d"}}}), "[d, -]");
  EXPECT_EQ(sum({{{"d"}}}, {{{"t"}}}), "[-, -]");
  EXPECT_EQ(sum({{{"d", "t"}}}, {{{"d"}}}), "[d, -]");
  EXPECT_EQ(sum({{{"d"}}}, {{{}, {"d"}}}), "[d, -]");
}

TEST_F(DeclaredSharding, GoesThroughSlicesWhereTheyTakeAll) {
  EXPECT_EQ(of(take_slice(stack, 0, 1, 3)), "[-, d, t]");
  EXPECT_EQ(of(take_index(stack, 0, 1)), "[d, t]");
  EXPECT_EQ(of(dynamic_slice_in_dim(stack, 0, constant(1, s32), 2)), "[-, d, t]");
  EXPECT_EQ(of(take_slice(w, 1, 0, 8)), "[d, -]");
}

TEST_F(DeclaredSharding, GoesThroughReshapesThatKeepTheAxis) {
  EXPECT_EQ(of(reshape(w, {8, 4, 4})), "[d, t, -]");
  EXPECT_EQ(of(reshape(w, {1, 4, 2, 16})), "[-, d, -, t]");
  EXPECT_EQ(of(reshape(w, {8, 2, 8})), "[d, -, -]");  // 2 is less than t
  EXPECT_EQ(of(flatten(w)), "[d]");
  EXPECT_EQ(of(flatten(stack, 0, 1)), "[-, t]");  // parts are no longer in one piece
  EXPECT_EQ(of(reshape(arg({3, 0}, Sharding{{{"d"}}}), {0})), "[-]");
  EXPECT_EQ(of(swap_dims(w, 0, 1)), "[t, d]");
}

TEST_F(DeclaredSharding, GoesIntoBodies) {
  auto in_body = [&](std::span<const Value> args) {
    EXPECT_EQ(of(args[0]), "[d, t]");
    EXPECT_EQ(of(w * 2), "[d, t]");
    return std::vector<Value>{args[0]};
  };
  remat(std::vector{w}, in_body);
  auto step = [&](std::span<const Value> carry, std::span<const Value> slices) {
    EXPECT_EQ(of(slices[0]), "[d, t]");
    return ScanStep{.carry = {carry[0]}, .ys = {}};
  };
  scan(std::vector{w}, std::vector{stack}, step);
}

// It is found without recursion, and in a time that does not grow with the number of paths.
TEST_F(DeclaredSharding, OfLongChainsIsFoundQuickly) {
  Value x = w;
  for (int i = 0; i < 20000; ++i)
    x = x + x;
  EXPECT_EQ(of(x), "[d, t]");
}

}  // namespace
}  // namespace meshwright::graph
