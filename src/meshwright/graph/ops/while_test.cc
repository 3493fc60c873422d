// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/while.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

Value below_nine(Args carry) {
  return carry[0] < 9;
}
Values twice(Args carry) {
  return {carry[0] * 2};
}

TEST(While, CarriesValuesFromOutsideAlong) {
  std::string text = text_of({{f32, {}}, {f32, {}}, {f32, {}}}, [](Args args) {
    auto more = [&](Args c) { return c[0] < args[1]; };
    auto step = [&](Args c) { return Values{c[0] * args[2] + args[1]}; };
    return while_loop(more, step, args.first(1));
  });
  EXPECT_THAT(text, HasSubstr("%9:3 = \"stablehlo.while\"(%arg0, %arg1, %arg2)"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.return\"(%8, %5, %6)"));
  EXPECT_THAT(text, HasSubstr("\"func.return\"(%9#0)"));
}

TEST(While, RejectsABodyThatDoesNotKeepTheCarry) {
  trace({{f32, {}}, {f32, {3}}}, [](Args args) {
    auto error_of = [&](const WhileCondition& condition, const Tracer::Body& body) {
      return message_of([&] { while_loop(condition, body, args); });
    };
    auto narrow = [](Args c) { return Values{c[0], cast(c[1], bf16)}; };
    EXPECT_THAT(error_of(below_nine, narrow),
                HasSubstr("while_loop: carry 1 is f32[3] but the body returns bf16[3]"));
    EXPECT_THAT(error_of(below_nine, narrow), HasSubstr("while_test.cc:"));
    EXPECT_THAT(error_of(below_nine, twice),
                HasSubstr("returns a carry of 1 values for a carry of 2"));
    EXPECT_THAT(error_of([](Args c) { return c[1] < 9; }, twice),
                HasSubstr("the condition returns pred[3], not pred[]"));
    return Values{};
  });
}

TEST(While, TheCarryVariesOverTheMeshAxesOfConditionAndBody) {
  mesh::AxisSet data = mesh::AxisSet::of(0), tensor = mesh::AxisSet::of(1);
  Tracer tracer({.mesh = mesh::Mesh({{"data", 2}, {"tensor", 4}})});
  std::vector<Type> types = {Type(f32, {}), Type(f32, {}, data), Type(f32, {}, tensor)};
  tracer.trace_region(types, [&](Args args) {
    auto more = [&](Args c) { return c[0] < args[1]; };
    auto step = [&](Args c) { return Values{c[0] + args[2]}; };
    EXPECT_EQ(while_loop(more, twice, args.first(1))[0].type().varying, data);
    EXPECT_EQ(while_loop(below_nine, step, args.first(1))[0].type().varying, tensor);
    EXPECT_EQ(while_loop(more, step, args.first(1))[0].type().varying, data | tensor);
    return Values{};
  });
}

}  // namespace
}  // namespace meshwright::graph
