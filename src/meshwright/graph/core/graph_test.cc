// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

TEST(AllOps, AreCompleteAndHaveDistinctNames) {
  std::set<std::string_view> names;
  for (const OpDef* op : kAllOps) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name << " appears twice";
    EXPECT_NE(op->infer, nullptr) << op->name;
    EXPECT_NE(op->vjp, nullptr) << op->name;
    EXPECT_TRUE(op->write != nullptr || !op->mlir.empty()) << op->name;
  }
}

TEST(Trace, WritesAWholeProgram) {
  Program program = trace({{f32, {2, 3}}, {f32, {3}}}, [](std::span<const Value> args) {
    return std::vector<Value>{exp(args[0] + args[1]) * 2};
  });
  std::string text = write_stablehlo(program);
  EXPECT_THAT(text, HasSubstr("func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>)"
                              " -> (tensor<2x3xf32>)"));
  EXPECT_THAT(text, HasSubstr("broadcast_dimensions = array<i64: 1>"));
  EXPECT_THAT(text, HasSubstr("\"stablehlo.exponential\""));
  EXPECT_THAT(text, HasSubstr("value = dense<2.0e+00> : tensor<2x3xf32>"));
}

TEST(Trace, LeavesOutWhatNobodyUses) {
  Program program = trace({{f32, {2}}}, [](std::span<const Value> args) {
    exp(args[0]);
    return std::vector<Value>{args[0]};
  });
  EXPECT_THAT(write_stablehlo(program), testing::Not(HasSubstr("exponential")));
}

TEST(Trace, TextWithoutLocationsDoesNotDependOnTheSourceLine) {
  auto one = [](std::span<const Value> args) { return std::vector<Value>{exp(args[0])}; };
  auto two = [](std::span<const Value> args) {
    ModuleScope module("elsewhere");
    return std::vector<Value>{exp(args[0])};
  };
  Program first = trace({{f32, {2}}}, one);
  Program second = trace({{f32, {2}}}, two);
  EXPECT_EQ(write_stablehlo(first), write_stablehlo(second));
  EXPECT_THAT(write_stablehlo(second, {.locations = true}), HasSubstr("elsewhere/exp"));
}

TEST(Trace, ErrorsNameOpRuleValuesModuleAndLine) {
  std::string message = message_of([] {
    trace({{f32, {2, 3}}, {bf16, {2, 3}}}, [](std::span<const Value> args) {
      ModuleScope decoder("decoder");
      ModuleScope layers("layers");
      return std::vector<Value>{args[0] + args[1]};
    });
  });
  EXPECT_THAT(message, HasSubstr("add: dtypes differ: f32[2,3] and bf16[2,3]"));
  EXPECT_THAT(message, HasSubstr("(decoder/layers, graph_test.cc:"));
}

TEST(Trace, ShapesThatDoNotBroadcastAreNamed) {
  std::string message = message_of([] {
    trace({{f32, {2, 3}}, {f32, {4}}},
          [](std::span<const Value> args) { return std::vector<Value>{args[0] * args[1]}; });
  });
  EXPECT_THAT(message, HasSubstr("multiply: f32[2,3] and f32[4] cannot be broadcast"));
  EXPECT_THAT(message, HasSubstr("dimension 1 is 3 and 4"));
}

TEST(Trace, AFractionBesideIntegersIsAnError) {
  std::string message = message_of([] {
    trace({{s32, {2}}},
          [](std::span<const Value> args) { return std::vector<Value>{args[0] * 0.5}; });
  });
  EXPECT_THAT(message, HasSubstr("0.5"));
  EXPECT_THAT(message, HasSubstr("s32"));
}

TEST(Trace, WithoutATracerIsAnError) {
  EXPECT_THAT(message_of([] { constant(1.0, f32); }), HasSubstr("being traced"));
}

TEST(TraceRegion, TurnsOuterValuesIntoCaptures) {
  Tracer tracer;
  Value x = tracer.argument({f32, {2}});
  Value y = exp(x);
  Type scalar(f32, {2});
  Region& body = tracer.trace_region(std::span(&scalar, 1), [&](std::span<const Value> args) {
    return std::vector<Value>{args[0] * y + y + constant(1.0, f32, {2})};
  });
  ASSERT_EQ(body.captures.size(), 1u);
  EXPECT_EQ(body.captures[0], y);
  EXPECT_EQ(body.num_own_args(), 1);
}

TEST(TraceRegion, AValueOfAFinishedBodyCannotEscape) {
  Tracer tracer;
  Value leaked;
  tracer.trace_region({}, [&](std::span<const Value>) {
    leaked = constant(1.0, f32, {2}) + 1;
    return std::vector<Value>{leaked};
  });
  EXPECT_THAT(message_of([&] { exp(leaked); }), HasSubstr("body that has ended"));
}

TEST(AxisScope, ANameKeepsItsSize) {
  Tracer tracer({.dims = {{"embed", 512}}});
  tracer.axes().bind("batch", 8, "x");
  EXPECT_THAT(
      message_of([&] { tracer.axes().bind("embed", 1024, "rhs bf16[1024,4096]"); }),
      HasSubstr("axis 'embed' is 512 in the table of dims but 1024 in rhs bf16[1024,4096]"));
  {
    AxisScope function;
    tracer.axes().bind("batch", 16, "y");  // free again in a scope of its own
  }
  EXPECT_EQ(*tracer.axes().find("batch"), 8);
}

TEST(Constant, SpecialValuesAreExact) {
  Program program = trace({}, [](std::span<const Value>) {
    return std::vector<Value>{constant(std::numeric_limits<double>::infinity(), bf16),
                              constant(static_cast<double>(0.1f), f32),
                              constant(HostTensor::from<std::int64_t>({1, 2, 3, 4}, {2, 2}))};
  });
  std::string text = write_stablehlo(program);
  EXPECT_THAT(text, HasSubstr("dense<0x7F80> : tensor<bf16>"));
  EXPECT_THAT(text, HasSubstr("dense<1.0000000149011612e-01> : tensor<f32>"));
  EXPECT_THAT(text, HasSubstr("dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>"));
}

}  // namespace
}  // namespace meshwright::graph
