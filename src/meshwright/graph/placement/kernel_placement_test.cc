// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/placement/kernel_placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using mesh::AxisRules;
using mesh::Mesh;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const char kSomeKernel = 0;

/// x^2 of an array with the axes in its attributes.
const OpDef kSquared{
    .name = "squared",
    .infer = [](const Node& node) { return std::vector{node.in(0)}; },
    .write =
        [](Writer& writer, const Node& node) {
          write_custom_call(writer, node, {.target = "mw_square", .attributes = {}});
        },
    .vjp = kNoGradient,
    .handler = reinterpret_cast<const pjrt::Kernel*>(&kSomeKernel),
    .reference = [](const Node&, std::span<const Value> in) { return std::vector{in[0] * in[0]}; },
    .axes =
        [](const Node& node) {
          const auto& axes = node.attr<std::string>();
          return KernelAxes{.operands = {axes}, .results = {axes}};
        },
    .aliases = [](const Node&) { return std::vector<OutputAlias>{{}}; }};

OpDef changed(const auto& change) {
  OpDef op = kSquared;
  change(op);
  return op;
}

const Mesh kMesh({{"d", 2}, {"t", 4}});

Program squared(const OpDef& op,
                const std::string& axes,
                const AxisRules& rules,
                Dims dims = {8, 8}) {
  return trace({{f32, std::move(dims)}},
               [&](auto args) { return std::vector{emit(op, {args[0]}, axes, {})}; },
               {.mesh = kMesh, .activations = rules});
}

std::string placed_text(const Program& program, std::string_view platform = "cpu") {
  return write_stablehlo(place_kernels(program, platform));
}

TEST(PlaceKernels, CallsOneWithItsPart) {
  Program placed =
      place_kernels(squared(kSquared, "rows cols", {{"rows", {"d"}}, {"cols", {"t"}}}), "cpu");
  EXPECT_THAT(placed.warnings, IsEmpty());
  EXPECT_THAT(
      write_stablehlo(placed),
      AllOf(HasSubstr("in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"d\"}, {\"t\"}]>]>"),
            HasSubstr("manual_axes{\"d\", \"t\"}"), HasSubstr("tensor<4x2xf32>"),
            HasSubstr("output_operand_alias<output_tuple_indices = [], operand_index = 0")));
}

// Two arrays that have nothing to do with each other.
OpDef pairs_as_arguments() {
  return changed([](OpDef& op) {
    op.infer = [](const Node& node) { return std::vector{node.in(0), node.in(1)}; };
    op.reference = [](const Node&, std::span<const Value> in) {
      return std::vector{in[0] * in[0], in[1] * in[1]};
    };
    op.aliases = nullptr;
    op.varying = [](const Node& node) {
      return std::vector{node.in(0).varying, node.in(1).varying};
    };
    op.axes = [](const Node&) {
      return KernelAxes{
          .operands = {"a b", "c d"}, .results = {"a b", "c d"}, .as_arguments = {0, 1}};
    };
  });
}

TEST(PlaceKernels, SplitsArraysAsTheArgumentsOfTheProgramLie) {
  const OpDef op = pairs_as_arguments();
  Tracer tracer({.mesh = kMesh, .activations = {{"a", {"t"}}}});
  Value x = tracer.argument({f32, {8, 8}}, {.sharding = mesh::Sharding{{{"d"}, {}}}});
  Value y = tracer.argument({f32, {8, 8}}, {.sharding = mesh::Sharding{{{"t"}, {"d"}}}});
  Program program = tracer.finish(emit_all(op, {x, y}, {}, {}, {}));
  // Each may use mesh axes that the other uses, and rules do not count.
  EXPECT_THAT(program.warnings, testing::Each(Not(HasSubstr("there are"))));
  Program placed = place_kernels(program, "cpu");
  EXPECT_THAT(write_stablehlo(placed),
              AllOf(HasSubstr("in_shardings = #sdy.sharding_per_value<[<@mesh, [{\"d\"}, {}]>, "
                              "<@mesh, [{\"t\"}, {\"d\"}]>]>"),
                    HasSubstr("tensor<4x8xf32>"), HasSubstr("tensor<2x4xf32>"),
                    Not(HasSubstr("all_reduce"))));
}

TEST(PlaceKernels, TakesPlainOpsWhereItIsNotKnownHowArgumentsLie) {
  const OpDef op = pairs_as_arguments();
  Tracer tracer({.mesh = kMesh});
  Value x = tracer.argument({f32, {8, 8}}, {.sharding = mesh::Sharding{{{"d"}, {}}}});
  Value y = exp(tracer.argument({f32, {8, 8}}, {.sharding = mesh::Sharding{{{"d"}, {}}}}));
  Program placed = place_kernels(tracer.finish(emit_all(op, {x, y}, {}, {}, {})), "cpu");
  EXPECT_THAT(placed.warnings, ElementsAre(HasSubstr("the sharding of operand 1 is unknown")));
  EXPECT_THAT(write_stablehlo(placed), Not(HasSubstr("custom_call")));
}

TEST(PlaceKernels, LeavesTheProgramAsItIs) {
  Program program = squared(kSquared, "rows cols", {{"rows", {"d"}}, {"cols", {"t"}}});
  std::string before = write_stablehlo(program);
  std::string first = placed_text(program);
  EXPECT_EQ(write_stablehlo(program), before);
  EXPECT_EQ(placed_text(program), first);
}

TEST(PlaceKernels, LeavesProgramsWithoutKernelsAlone) {
  Program program = trace({{f32, {2}}}, [](auto args) { return std::vector{exp(args[0])}; });
  EXPECT_EQ(place_kernels(program, "cuda").main, program.main);
}

TEST(PlaceKernels, MakesEveryDeviceComputeTheWholeWhereNothingIsKnown) {
  EXPECT_THAT(placed_text(squared(kSquared, "rows cols", {})),
              AllOf(HasSubstr("in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>"),
                    HasSubstr("manual_axes{\"d\", \"t\"}")));
}

TEST(PlaceKernels, CallsOneInAManualRegionOverTheOtherAxesOnly) {
  const AxisRules rules{{"rows", {"d"}}};
  auto in_region = [](const std::vector<std::string>& axes) {
    return [axes](std::span<const Value> args) {
      auto body = [](std::span<const Value> parts) {
        return std::vector{emit(kSquared, {parts[0]}, std::string("rows cols"), {})};
      };
      return manual({{args[0], "rows cols/t"}}, {"rows cols/t"}, body, {.axes = axes});
    };
  };
  TraceOptions options{.mesh = kMesh, .activations = rules};
  EXPECT_THAT(placed_text(trace({{f32, {8, 8}}}, in_region({"t"}), options)),
              AllOf(HasSubstr("manual_axes{\"t\"}"), HasSubstr("manual_axes{\"d\"}"),
                    HasSubstr("tensor<4x2xf32>")));
  EXPECT_THAT(placed_text(trace({{f32, {8, 8}}}, in_region({"d", "t"}), options)),
              AllOf(HasSubstr("manual_axes{\"d\", \"t\"}"), Not(HasSubstr("manual_axes{\"d\"}"))));
}

std::vector<Value> squared_twice(std::span<const Value> args) {
  Value once = emit(kSquared, {args[0]}, std::string("rows"), SourceLoc{"model.cc", 7});
  return {emit(kSquared, {once}, std::string("rows"), {})};
}

TEST(PlaceKernels, WritesTheReferenceInSilenceForOtherPlatforms) {
  for (const char* platform : {"tpu", ""}) {
    Program placed = place_kernels(trace({{f32, {4}}}, squared_twice), platform);
    EXPECT_THAT(write_stablehlo(placed),
                AllOf(HasSubstr("stablehlo.multiply"), Not(HasSubstr("custom_call"))));
    EXPECT_THAT(kernel_handlers(placed), IsEmpty());
    EXPECT_THAT(placed.warnings, IsEmpty());
  }
}

TEST(PlaceKernels, SaysOnceWhyItDoesNotCall) {
  TraceOptions options{.mesh = kMesh, .activations = {{"rows", {"t"}}}};
  EXPECT_THAT(place_kernels(trace({{f32, {6}}}, squared_twice, options), "cpu").warnings,
              ElementsAre(AllOf(HasSubstr("kernel squared: replaced by its formula: "),
                                HasSubstr("(model.cc:7)"))));
}

// Those of the placement; there are some exactly where the call is gone.
std::vector<std::string> warnings_of(const OpDef& op,
                                     const std::string& axes,
                                     const AxisRules& rules,
                                     Dims dims = {8, 8}) {
  Program program = squared(op, axes, rules, std::move(dims));
  Program placed = place_kernels(program, "cpu");
  std::vector<std::string> added(placed.warnings.begin() + std::ssize(program.warnings),
                                 placed.warnings.end());
  bool has_call = write_stablehlo(placed).find("custom_call") != std::string::npos;
  EXPECT_EQ(added.empty(), has_call);
  return added;
}

TEST(PlaceKernels, WritesTheReferenceWhereASplitIsNotPossible) {
  const AxisRules rules{{"rows", {"d"}}, {"cols", {"t"}}, {"also", {"d"}}};
  EXPECT_THAT(warnings_of(kSquared, "rows cols", rules), IsEmpty());
  EXPECT_THAT(warnings_of(kSquared, "rows cols", rules, {8, 6}),
              ElementsAre(HasSubstr("axis 'cols' of size 6 is not divisible into 4 parts")));
  EXPECT_THAT(warnings_of(kSquared, "rows also", rules),
              ElementsAre(HasSubstr("mesh axis 'd' splits both 'also' and another axis")));
  OpDef whole = changed([](OpDef& op) {
    op.axes = [](const Node&) {
      return KernelAxes{.operands = {"rows cols"}, .results = {"rows cols"}, .whole = {"rows"}};
    };
  });
  EXPECT_THAT(warnings_of(whole, "", rules), ElementsAre(HasSubstr("needs the whole axis")));
}

TEST(PlaceKernels, TreatsAnAxisThatAResultLacksAsWhole) {
  OpDef row_sums = changed([](OpDef& op) {
    op.infer = [](const Node& node) { return std::vector{Type(f32, {node.in(0).dims[0]})}; };
    op.reference = [](const Node&, std::span<const Value> in) {
      return std::vector{reduce_sum(in[0], {1})};
    };
    op.axes = [](const Node&) {
      return KernelAxes{.operands = {"rows cols"}, .results = {"rows"}};
    };
    op.aliases = nullptr;
  });
  EXPECT_THAT(warnings_of(row_sums, "", {{"cols", {"t"}}}),
              ElementsAre(HasSubstr("axis 'cols' is split by mesh axes t, but each call needs")));
}

TEST(PlaceKernels, NeedsAReferenceWhereItCannotCall) {
  OpDef op = changed([](OpDef& changed_op) { changed_op.reference = nullptr; });
  EXPECT_THAT(message_of([&] { placed_text(squared(op, "rows cols", {}), "cuda"); }),
              HasSubstr("squared: its kernel cannot run here, and it has no formula"));
}

TEST(PlaceKernels, ChecksTheReference) {
  OpDef op = changed([](OpDef& changed_op) {
    changed_op.reference = [](const Node&, std::span<const Value> in) {
      return std::vector{cast(in[0], f64)};
    };
  });
  EXPECT_THAT(message_of([&] { placed_text(squared(op, "rows cols", {}), "cuda"); }),
              HasSubstr("the types of its reference differ from those of infer"));
}

TEST(KernelAxes, CountAsUsesOfTheirRules) {
  EXPECT_THAT(squared(kSquared, "rows cols", {{"rows", {"d"}}}).warnings, IsEmpty());
}

// x^2 + y in one call.
const OpDef kSquaredPlus =
    changed([](OpDef& op) { op.infer = [](const Node& node) { return std::vector{node.in(1)}; }; });
const OpDef kAdding = changed([](OpDef& op) {
  op.plus = [](const Node& node, Value addend) {
    return emit(kSquaredPlus, {node.operands[0], addend}, node.attrs, {});
  };
});

std::string text_of(const std::function<std::vector<Value>(Value x, Value squared)>& results,
                    std::string_view platform = "cpu") {
  return placed_text(trace({{f32, {6}}},
                           [&](auto args) {
                             Value x = args[0];
                             return results(x, emit(kAdding, {x}, std::string("rows"), {}));
                           }),
                     platform);
}

TEST(PlaceKernels, LetsAKernelAddWhatItsResultIsAddedTo) {
  const std::string either =
      text_of([](Value x, Value squared) { return std::vector{squared + x}; });
  EXPECT_EQ(text_of([](Value x, Value squared) { return std::vector{x + squared}; }), either);
  EXPECT_THAT(either, Not(HasSubstr("stablehlo.add")));
  EXPECT_THAT(either, HasSubstr("(%arg0, %arg0)"));
}

TEST(PlaceKernels, AddsByItselfWhatOthersNeed) {
  for (const std::string& text :
       {text_of([](Value x, Value squared) {
          return std::vector{squared + x, squared};
        }),
        text_of([](Value x, Value squared) {
          return std::vector{squared + x, squared * x};
        }),
        text_of([](Value, Value squared) { return std::vector{squared + squared}; }),
        text_of([](Value, Value squared) { return std::vector{squared + 1}; }),
        text_of([](Value x, Value squared) { return std::vector{squared + x}; }, "cuda")})
    EXPECT_THAT(text, HasSubstr("stablehlo.add"));
}

}  // namespace
}  // namespace meshwright::graph
