// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::autodiff {
namespace {

using graph::ScanBody;
using graph::ScanOptions;
using graph::ScanStep;
using testing::HasSubstr;
using testing::Not;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

std::vector<const graph::Node*> scans_of(const graph::Program& program) {
  std::vector<const graph::Node*> out;
  for (const graph::Node* node : program.main->nodes) {
    if (node->op == &graph::kScan) out.push_back(node);
  }
  return out;
}

Value sum_all(Value x) {
  Dims over;
  for (int i = 0; i < x.rank(); ++i)
    over.push_back(i);
  return reduce_sum(x, over);
}

// Traces the gradient of a scan over xs f32[5,3], with carry f32[3] and a captured w f32[3], with
// respect to all three.
graph::Program gradient_of(const std::function<ScanStep(Args carry, Args xs, Value w)>& step,
                           ScanOptions options = {}) {
  return graph::trace({{f32, {3}}, {f32, {5, 3}}, {f32, {3}}}, [&](Args args) {
    auto fn = [&](Value init, Value xs, Value w) {
      auto body = [&](Args carry, Args slices) { return step(carry, slices, w); };
      graph::ScanResult out = graph::scan(Values{init}, Values{xs}, body, options);
      Value loss = sum_all(out.carry[0]);
      for (Value y : out.ys)
        loss = loss + sum_all(y);
      return loss;
    };
    return grad(fn, args);
  });
}

// Returns the number of results that the forward scan stacks.
std::size_t num_stacked(const graph::Program& program) {
  return scans_of(program).at(0)->types.size() - 1;
}

ScanStep only_carry(Value next) {
  return {.carry = {next}, .ys = {}};
}

TEST(Scan, IsWrittenAsAWhileLoop) {
  std::string text = write_stablehlo(graph::trace({{f32, {3}}, {f32, {5, 3}}}, [](Args args) {
    auto body = [](Args carry, Args slices) {
      Value next = carry[0] + slices[0];
      return ScanStep{.carry = {next}, .ys = {next}};
    };
    return graph::scan(args.first(1), args.subspan(1), body).ys;
  }));
  EXPECT_EQ(count(text, "stablehlo.while"), 1);
  EXPECT_THAT(text, HasSubstr("slice_sizes = array<i64: 1, 3>"));
  EXPECT_EQ(count(text, "stablehlo.dynamic_update_slice"), 1);
}

TEST(Scan, UnrolledAltogetherHasNoLoop) {
  graph::Program program = gradient_of(
      [](Args carry, Args xs, Value w) { return only_carry(sin(carry[0]) * xs[0] + w); },
      {.unroll = 5});
  std::string text = write_stablehlo(program);
  EXPECT_THAT(text, Not(HasSubstr("stablehlo.while")));
  EXPECT_EQ(count(text, "stablehlo.cosine"), 5);
}

TEST(Scan, StacksForTheGradientOnlyWhatItComputes) {
  // w * x: x is a slice of xs and w is captured, so nothing is stacked.
  EXPECT_EQ(num_stacked(gradient_of(
                [](Args carry, Args xs, Value w) { return only_carry(carry[0] + xs[0] * w); })),
            0u);
  // sin(carry): the carry on entry to the step is stacked.
  EXPECT_EQ(num_stacked(gradient_of([](Args carry, Args xs, Value w) {
              return only_carry(sin(carry[0]) + xs[0] * w);
            })),
            1u);
  // exp(x) serves two gradients and is stacked once.
  EXPECT_EQ(num_stacked(gradient_of([](Args carry, Args xs, Value w) {
              Value e = exp(xs[0]);
              return only_carry(carry[0] + e * w);
            })),
            1u);
}

TEST(Scan, DoesNotStackTwiceWhatItGivesAnyway) {
  EXPECT_EQ(num_stacked(gradient_of([](Args carry, Args xs, Value) {
              Value e = exp(xs[0]);
              return ScanStep{.carry = {carry[0] + e}, .ys = {e}};
            })),
            1u);
}

TEST(Scan, DoesNotStackWhatIsTheSameInAllSteps) {
  graph::Program program = gradient_of(
      [](Args carry, Args xs, Value w) { return only_carry(carry[0] + xs[0] * exp(w)); });
  EXPECT_EQ(num_stacked(program), 0u);
}

TEST(Scan, SendsNoGradientThroughAPartOfTheCarryThatDoesNotReachTheResult) {
  graph::Program program = graph::trace({{f32, {5, 3}}}, [](Args args) {
    auto fn = [](Value xs) {
      auto body = [](Args carry, Args slices) {
        return ScanStep{.carry = {carry[0] + slices[0], carry[1] + sin(slices[0])}, .ys = {}};
      };
      Value zero = graph::constant(0, f32, {3});
      return sum_all(graph::scan(Values{zero, zero}, Values{xs}, body).carry[0]);
    };
    return grad(fn, args);
  });
  const graph::Node& backward = *scans_of(program).at(1);
  EXPECT_EQ(backward.attr<graph::ScanAttrs>().num_carry, 1);
  EXPECT_TRUE(backward.attr<graph::ScanAttrs>().reverse);
  EXPECT_THAT(write_stablehlo(program), Not(HasSubstr("cosine")));
}

TEST(Scan, TheCarryVariesOverTheMeshAxesThatItsStepsBringIn) {
  mesh::AxisSet data = mesh::AxisSet::of(0);
  graph::Tracer tracer({.mesh = mesh::Mesh({{"data", 2}})});
  std::vector<graph::Type> types = {graph::Type(f32, {3}), graph::Type(f32, {5, 3}, data)};
  tracer.trace_region(types, [&](Args args) {
    int times_traced = 0;
    auto fn = [&](Value w) {
      auto body = [&](Args carry, Args slices) {
        ++times_traced;
        return ScanStep{.carry = {carry[0] + slices[0] * w}, .ys = {w}};
      };
      graph::ScanResult out = graph::scan(args.first(1), args.subspan(1), body);
      EXPECT_EQ(out.carry[0].type().varying, data);
      EXPECT_TRUE(out.ys[0].type().varying.empty());
      return sum_all(out.carry[0]);
    };
    // w is equal on all devices, so its gradient is summed over them.
    EXPECT_TRUE(grad(fn, args[0]).type().varying.empty());
    EXPECT_EQ(times_traced, 2);
    return Values{};
  });
}

std::string error_of(Args args, const ScanBody& body, ScanOptions options = {}) {
  return message_of([&] { graph::scan(args.first(1), args.subspan(1), body, options); });
}

TEST(Scan, RejectsWhatDoesNotFit) {
  graph::trace({{f32, {3}}, {f32, {5, 3}}}, [](Args args) {
    auto body = [](Args carry, Args) { return only_carry(carry[0]); };
    auto narrow = [](Args carry, Args) { return only_carry(cast(carry[0], bf16)); };
    auto nothing = [](Args, Args) { return ScanStep{}; };
    EXPECT_THAT(error_of(args, narrow), HasSubstr("carry 0 is f32[3] but the body returns bf16"));
    EXPECT_THAT(error_of(args, nothing), HasSubstr("returns a carry of 0 values for a carry of 1"));
    EXPECT_THAT(error_of(args, body, {.unroll = 2}), HasSubstr("does not divide the 5 steps"));
    EXPECT_THAT(error_of(args, body, {.length = 4}), HasSubstr("4 steps, but xs has f32[5,3]"));
    EXPECT_THAT(error_of(args.first(1), body), HasSubstr("needs a length if there are no xs"));
    EXPECT_THAT(error_of(Values{args[0], sum_all(args[0])}, body), HasSubstr("the scalar f32[]"));
    return Values{};
  });
}

TEST(Scan, NamesTheOpInItsBodyThatHasNoGradient) {
  std::string message = message_of([] {
    gradient_of([](Args carry, Args xs, Value) { return only_carry(next_after(carry[0], xs[0])); });
  });
  EXPECT_THAT(message, HasSubstr("next_after: has no gradient"));
  EXPECT_THAT(message, HasSubstr("while differentiating scan"));
}

}  // namespace
}  // namespace meshwright::autodiff
