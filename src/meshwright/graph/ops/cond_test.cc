// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/cond.h"

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

const mesh::AxisSet kData = mesh::AxisSet::of(0);
const mesh::AxisSet kTensor = mesh::AxisSet::of(1);

Values sine(Args args) {
  return {sin(args[0])};
}
Values two_results(Args args) {
  return {args[0], args[0]};
}

TEST(Cond, IsWrittenWithBranchesThatHaveNoArguments) {
  std::string text = text_of({{pred, {}}, {f32, {3}}}, [](Args args) {
    return cond(
        args[0], sine, [](Args a) { return Values{a[0] + 1}; }, args.subspan(1));
  });
  EXPECT_THAT(text, HasSubstr("= \"stablehlo.if\"(%arg0) ({\n"
                              "      %0 = \"stablehlo.sine\"(%arg1)"));
  EXPECT_THAT(text, HasSubstr("}) : (tensor<i1>) -> (tensor<3xf32>)"));
}

TEST(Cond, SeveralResultsAreToldApart) {
  std::string text = text_of({{pred, {}}, {f32, {3}}}, [](Args args) {
    Values out = cond(args[0], two_results, two_results, args.subspan(1));
    return Values{out[1]};
  });
  EXPECT_THAT(text, HasSubstr("\"func.return\"(%0#1)"));
}

TEST(Cond, BothBranchesGetWhatEitherUsesFromOutside) {
  trace({{pred, {}}, {f32, {3}}, {f32, {3}}, {f32, {3}}}, [](Args args) {
    auto first = [&](Args) { return Values{args[1] * args[2]}; };
    auto second = [&](Args) { return Values{args[3] + args[2]}; };
    Value out = cond(args[0], first, second)[0];
    const Node& node = *out.node();
    EXPECT_EQ(node.operands, (Values{args[0], args[1], args[2], args[3]}));
    EXPECT_EQ(node.regions[0]->num_args(), 3);
    EXPECT_EQ(node.regions[1]->num_args(), 3);
    return Values{out};
  });
}

TEST(Cond, RejectsBranchesThatDoNotAgree) {
  trace({{pred, {}}, {f32, {3}}}, [](Args args) {
    auto narrow = [](Args a) { return Values{cast(a[0], bf16)}; };
    auto error_of = [&](const Tracer::Body& branch) {
      return message_of([&] { cond(args[0], sine, branch, args.subspan(1)); });
    };
    EXPECT_THAT(error_of(narrow),
                HasSubstr("cond: result 0 of if_false is bf16[3] but that of if_true is f32[3]"));
    EXPECT_THAT(error_of(two_results),
                HasSubstr("if_false returns 2 results but if_true returns 1"));
    EXPECT_THAT(error_of(two_results), HasSubstr("cond_test.cc:"));
    EXPECT_THAT(message_of([&] { cond(args[1], sine, sine, args.subspan(1)); }),
                HasSubstr("cond: the predicate is f32[3], not pred[]"));
    return Values{};
  });
}

TEST(SwitchCase, ClampsTheIndex) {
  std::string text = text_of({{DType::s64, {}}, {f32, {3}}}, [](Args args) {
    return switch_case(args[0], {sine, sine, sine}, args.subspan(1));
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.clamp"));
  EXPECT_THAT(text, HasSubstr("dense<2> : tensor<i64>"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.case\""));
}

TEST(SwitchCase, RejectsBranchesThatDoNotAgree) {
  trace({{s32, {}}, {f32, {3}}}, [](Args args) {
    auto flat = [](Args) { return Values{constant(0, f32)}; };
    EXPECT_THAT(
        message_of([&] {
          switch_case(args[0], {sine, sine, flat}, args.subspan(1));
        }),
        HasSubstr("switch_case: result 0 of branch 2 is f32[] but that of branch 0 is f32[3]"));
    EXPECT_THAT(message_of([&] { switch_case(args[1], {sine}, args.subspan(1)); }),
                HasSubstr("the index is f32[3], not an integer scalar"));
    EXPECT_THAT(message_of([&] { switch_case(args[0], {}); }), HasSubstr("no branches"));
    return Values{};
  });
}

class DivergentCond : public testing::Test {
 protected:
  // Traces as if in a manual region, where the predicate varies over `predicate` and the two arrays
  // over `x` and `y`.
  void in_region(mesh::AxisSet predicate,
                 mesh::AxisSet x,
                 mesh::AxisSet y,
                 const std::function<void(Args)>& check) {
    std::vector<Type> types = {Type(pred, {}, predicate), Type(f32, {3}, x), Type(f32, {3}, y)};
    tracer.trace_region(types, [&](Args args) {
      check(args);
      return Values{};
    });
  }

  Tracer tracer{{.mesh = mesh::Mesh({{"data", 2}, {"tensor", 4}})}};
};

TEST_F(DivergentCond, ResultsVaryAsTheyDoInEitherBranch) {
  in_region({}, {}, kTensor, [](Args args) {
    Value out = cond(
        args[0], sine, [&](Args) { return Values{args[2]}; }, args.subspan(1, 1))[0];
    EXPECT_EQ(out.type().varying, kTensor);
    EXPECT_EQ(out.node()->in(1).varying, mesh::AxisSet());  // widened in its branch
  });
}

TEST_F(DivergentCond, WhatComesInVariesAsThePredicateBeforeItDoes) {
  in_region(kData, {}, kTensor, [](Args args) {
    int times_traced = 0;
    auto first = [&](Args a) {
      ++times_traced;
      return Values{a[0] * args[2]};
    };
    Value out = cond(
        args[0], first, [](Args a) { return Values{a[0]}; }, args.subspan(1, 1))[0];
    EXPECT_EQ(out.type().varying, kData | kTensor);
    EXPECT_EQ(out.node()->in(1).varying, kData);
    EXPECT_EQ(out.node()->in(2).varying, kData | kTensor);
    EXPECT_EQ(out.node()->num_operands(), 3);
    EXPECT_EQ(times_traced, 2);
  });
}

TEST_F(DivergentCond, EvenConstantsVaryAsThePredicate) {
  in_region(kData, {}, {}, [](Args args) {
    auto number = [](Args) { return Values{constant(1, f32)}; };
    EXPECT_EQ(cond(args[0], number, number)[0].type().varying, kData);
  });
}

}  // namespace
}  // namespace meshwright::graph
