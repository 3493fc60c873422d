// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/placement/kernel_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/ops/custom_call.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {
namespace {

using mesh::Mesh;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const char kSomeKernel = 0;

std::string long_and_wide(const Node& op, const KernelTarget& target) {
  if (op.in(0).dims[0] < 4) return "fewer than 4 rows";
  const std::optional<CpuFeatures>& cpu = target.program.cpu;
  return cpu && !cpu->has_float_tiles ? "no AVX-512" : "";
}

/// x^2, whose kernel suits arrays of 4 rows or more.
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
    .obstacle = long_and_wide,
    .axes =
        [](const Node& node) {
          const auto& axes = node.attr<std::string>();
          return KernelAxes{
              .operands = {axes}, .results = {axes}, .on_one_device = axes.starts_with("drawn")};
        }};

Value squared(Value x, const std::string& axes) {
  return becomes_kernel(kSquared, {x}, axes) ? emit(kSquared, {x}, axes, {}) : x * x;
}

/// The choices for a program of one call.
std::vector<std::string> choices(std::int64_t rows,
                                 const TraceOptions& options = {},
                                 std::string_view platform = "cpu",
                                 bool wants_kernels = true,
                                 const std::string& axes = "rows cols") {
  const Program program = trace(
      {{f32, {rows, 8}}}, [&](auto args) { return std::vector{squared(args[0], axes)}; }, options);
  return describe(place_kernels(program, platform, wants_kernels).kernel_choices);
}

TEST(KernelDecision, TakesTheKernelOnOneDevice) {
  EXPECT_THAT(choices(8), ElementsAre("squared: kernel, 1 call: one device"));
}

TEST(KernelDecision, TakesTheFormulaOfAnOpThatDoesNotSuit) {
  EXPECT_THAT(choices(2), ElementsAre("squared: formula, 1 call: fewer than 4 rows"));
}

TEST(KernelDecision, LooksAtTheProcessorOfTheTarget) {
  EXPECT_THAT(choices(8, {.target = {.cpu = CpuFeatures{}}}),
              ElementsAre("squared: formula, 1 call: no AVX-512"));
  EXPECT_THAT(choices(8, {.target = {.cpu = CpuFeatures{.has_float_tiles = true}}}),
              ElementsAre("squared: kernel, 1 call: one device"));
}

TEST(KernelDecision, TakesFormulasWhereKernelsAreNotWanted) {
  EXPECT_THAT(choices(8, {}, "cpu", false),
              ElementsAre("squared: formula, 1 call: kernels are disabled"));
}

TEST(KernelDecision, TakesFormulasOnOtherPlatforms) {
  EXPECT_THAT(choices(8, {}, "cuda"),
              ElementsAre("squared: formula, 1 call: no kernel for platform 'cuda'"));
}

const Mesh kMesh({{"d", 2}, {"t", 4}});

TEST(KernelDecision, SaysHowAKernelIsSplit) {
  EXPECT_THAT(choices(8, {.mesh = kMesh, .activations = {{"rows", {"d"}}, {"cols", {"t"}}}}),
              ElementsAre("squared: kernel, 1 call: split over mesh axes d, t"));
  EXPECT_THAT(choices(8, {.mesh = kMesh}),
              ElementsAre("squared: kernel, 1 call: replicated on every device"));
}

TEST(KernelDecision, SaysWhyAKernelCannotBeSplit) {
  EXPECT_THAT(
      choices(6, {.mesh = kMesh, .activations = {{"rows", {"t"}}}}),
      ElementsAre(HasSubstr("squared: formula, 1 call: axis 'rows' of size 6 is not divisible")));
  EXPECT_THAT(choices(8, {.mesh = kMesh}, "cpu", true, "drawn cols"),
              ElementsAre(HasSubstr("squared: formula, 1 call: the result depends on the posi")));
}

TEST(KernelDecision, TakesTheKernelWithinAManualRegion) {
  auto in_region = [](std::span<const Value> args) {
    auto body = [](std::span<const Value> shards) {
      return std::vector{squared(shards[0], "rows cols")};
    };
    return manual({{args[0], "rows cols/t"}}, {"rows cols/t"}, body, {.axes = {"d", "t"}});
  };
  const Program program = trace({{f32, {8, 8}}}, in_region, {.mesh = kMesh});
  EXPECT_THAT(describe(place_kernels(program, "cpu").kernel_choices),
              ElementsAre("squared: kernel, 1 call: within a manual region"));
}

TEST(KernelDecision, OfATracedProgramIsKnownForFormulasOnly) {
  const Program program =
      trace({{f32, {8, 8}}, {f32, {2, 8}}, {f32, {3, 8}}}, [](std::span<const Value> args) {
        std::vector<Value> out;
        for (Value x : args)
          out.push_back(squared(x, "rows cols"));
        return out;
      });
  EXPECT_THAT(describe(program.kernel_choices),
              ElementsAre("squared: formula, 2 calls: fewer than 4 rows"));
  EXPECT_THAT(describe(place_kernels(program, "cpu").kernel_choices),
              ElementsAre("squared: formula, 2 calls: fewer than 4 rows",
                          "squared: kernel, 1 call: one device"));
}

TEST(KernelDecision, IsAbsentWithoutKernels) {
  const Program program = trace({{f32, {2}}}, [](auto args) { return std::vector{exp(args[0])}; });
  EXPECT_THAT(place_kernels(program, "cpu").kernel_choices, IsEmpty());
}

}  // namespace
}  // namespace meshwright::graph
