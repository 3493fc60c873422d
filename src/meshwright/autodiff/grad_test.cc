// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/grad.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"
#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::autodiff {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using graph::text_of;

Value sum_all(Value x) {
  Dims over;
  for (int i = 0; i < x.rank(); ++i)
    over.push_back(i);
  return reduce_sum(x, over);
}

TEST(Grad, OfASumOfSinesIsTheirCosines) {
  std::string text = text_of({{f32, {3}}}, [](std::span<const Value> args) {
    return std::vector{grad([](Value x) { return sum_all(sin(x)); }, args[0])};
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.cosine"));
  EXPECT_THAT(text, Not(HasSubstr("stablehlo.sine")));  // the value itself is not requested
}

TEST(Grad, AddsUpWhatReachesAValueOnSeveralPaths) {
  std::string text = text_of({{f32, {}}}, [](std::span<const Value> args) {
    return std::vector{grad([](Value x) { return exp(x) + sin(x); }, args[0])};
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.add"));
}

TEST(Grad, OfAnUnusedArgumentIsZero) {
  std::string text = text_of({{f32, {2}}, {f32, {3}}}, [](std::span<const Value> args) {
    return grad([](Value x, Value) { return sum_all(x); }, args);
  });
  EXPECT_THAT(text, HasSubstr("tensor<3xf32>}> : () -> tensor<3xf32>"));
}

TEST(Grad, TakesCapturedValuesAsConstants) {
  text_of({{f32, {3}}, {s32, {3}}}, [](std::span<const Value> args) {
    Value y = cast(args[1], f32);
    Value dx = grad([&](Value x) { return sum_all(x * y); }, args[0]);
    EXPECT_EQ(dx.type(), args[0].type());
    return std::vector{dx};
  });
}

TEST(Grad, GivesTheOtherResultsOfTheFunctionAsAux) {
  text_of({{f32, {3}}}, [](std::span<const Value> args) {
    auto out = value_and_grad(
        [](Value x) {
          return std::vector{sum_all(x * x), cast(x, s32)};
        },
        args);
    EXPECT_EQ(out.aux.size(), 1u);
    EXPECT_EQ(out.aux[0].dtype(), s32);
    EXPECT_EQ(out.gradients.size(), 1u);
    return std::vector{out.value};
  });
}

TEST(Grad, StopsAtStopGradient) {
  std::string text = text_of({{f32, {}}}, [](std::span<const Value> args) {
    return std::vector{grad([](Value x) { return exp(stop_gradient(x)) * x; }, args[0])};
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.exponential"));
  EXPECT_THAT(text, Not(HasSubstr("stablehlo.add")));
}

TEST(Grad, CanBeDifferentiatedAgain) {
  std::string text = text_of({{f32, {}}}, [](std::span<const Value> args) {
    auto first = [](Value x) { return grad([](Value y) { return sin(y); }, x); };
    return std::vector{grad(first, args[0])};
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.sine"));
  EXPECT_THAT(text, HasSubstr("stablehlo.negate"));
}

TEST(Grad, WantsAScalar) {
  EXPECT_THAT(message_of([] {
                text_of({{f32, {8}}}, [](std::span<const Value> args) {
                  return grad([](Value x) { return exp(x); }, args);
                });
              }),
              HasSubstr("the function returns f32[8], expected a float scalar"));
}

TEST(Grad, WantsFloatArguments) {
  EXPECT_THAT(message_of([] {
                text_of({{s32, {8}}}, [](std::span<const Value> args) {
                  return grad([](Value x) { return sum_all(cast(x, f32)); }, args);
                });
              }),
              HasSubstr("argument 0 is s32[8], which has no gradient"));
}

TEST(Grad, OfAnOpWithoutGradientNamesItAndThePath) {
  std::string message = message_of([] {
    text_of({{f32, {8}}}, [](std::span<const Value> args) {
      graph::ModuleScope decoder("decoder");
      return grad([](Value x) { return sum_all(next_after(exp(x), 1) * 2); }, args);
    });
  });
  EXPECT_THAT(message, HasSubstr("next_after: has no gradient"));
  EXPECT_THAT(message, HasSubstr("while differentiating next_after (decoder, grad_test.cc:"));
  EXPECT_THAT(message, HasSubstr("on the path decoder/reduce_sum <- decoder/multiply <- "
                                 "decoder/next_after <- decoder/exp <- argument 0"));
}

std::string gradient_of_windows(const graph::WindowOptions& options) {
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {8}});
  auto loss = [&](Value y) { return sum_all(graph::window_max(y, {2}, options)); };
  return message_of([&] { grad(loss, x); });
}

TEST(Grad, OfAWindowWithHolesIsAnErrorWithARemedy) {
  EXPECT_THAT(gradient_of_windows({.window_dilation = {2}}),
              AllOf(HasSubstr("no gradient for a window with dilation on f32[8]"),
                    HasSubstr("\ntake the windows of strided slices instead")));
  EXPECT_EQ(gradient_of_windows({.base_dilation = {2}}), "no error");
}

std::string gradient_of_factors(const graph::ScatterOptions& options) {
  graph::Tracer tracer;
  Value x = tracer.argument({f32, {6}});
  Value places = tracer.argument({s32, {2}});
  Value factors = tracer.argument({f32, {2}});
  graph::IndexDims dims{.collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1};
  auto loss = [&](Value y) { return sum_all(graph::scatter_mul(x, places, y, dims, options)); };
  return message_of([&] { grad(loss, factors); });
}

TEST(Grad, OfFactorsThatMayMeetIsAnErrorWithARemedy) {
  EXPECT_THAT(gradient_of_factors({.unique_indices = false}),
              AllOf(HasSubstr("no gradient for updates f32[2] that may overlap"),
                    HasSubstr("\nset unique_indices = true if they do not")));
  EXPECT_EQ(gradient_of_factors({.unique_indices = true}), "no error");
}

TEST(Grad, AnOpWithoutGradientOffThePathIsNoError) {
  text_of({{f32, {8}}}, [](std::span<const Value> args) {
    auto fn = [](Value x) { return std::vector{sum_all(x), next_after(x, 1)}; };
    return value_and_grad(fn, args).gradients;
  });
}

std::vector<graph::Type> infer_same(const graph::Node& node) {
  return {node.in(0)};
}

TEST(Grad, ARuleThatReturnsAWrongShapeIsNamed) {
  static const graph::OpDef wrong{
      .name = "wrong_rule", .infer = infer_same, .vjp = [](graph::VjpContext& c) {
        c.add(0, [&] { return graph::reduce_sum(c.cotangent(), {0}); });
      }};
  EXPECT_THAT(message_of([] {
                text_of({{f32, {2, 3}}}, [](std::span<const Value> args) {
                  auto fn = [](Value x) { return sum_all(graph::emit(wrong, {x}, SourceLoc())); };
                  return grad(fn, args);
                });
              }),
              HasSubstr("wrong_rule: its gradient rule returns f32[3] for operand 0, expected "
                        "f32[2,3]"));
}

TEST(Grad, CarriesTheModulePathOfTheForwardPass) {
  graph::Program program = graph::trace({{f32, {}}}, [](std::span<const Value> args) {
    auto fn = [](Value x) {
      graph::ModuleScope layer("layer");
      return sin(x);
    };
    return std::vector{grad(fn, args[0])};
  });
  EXPECT_THAT(write_stablehlo(program, {.locations = true}), HasSubstr("layer/cos"));
}

TEST(Vjp, PullsSeveralCotangentsBack) {
  std::string text = text_of({{f32, {3}}}, [](std::span<const Value> args) {
    Vjp out = vjp([](Value x) { return std::vector{sin(x), exp(x)}; }, args);
    Value ones = graph::constant(1, f32, {3});
    std::vector<Value> both = out.pullback(std::vector{ones, ones});
    std::vector<Value> second = out.pullback(std::vector{Value(), ones});
    return std::vector{both[0], second[0]};
  });
  EXPECT_THAT(text, HasSubstr("stablehlo.cosine"));
}

TEST(Vjp, WantsCotangentsOfTheTypesOfTheResults) {
  EXPECT_THAT(message_of([] {
                text_of({{f32, {3}}}, [](std::span<const Value> args) {
                  Vjp out = vjp([](Value x) { return exp(x); }, args);
                  return out.pullback(std::vector{graph::constant(1, f32, {4})});
                });
              }),
              HasSubstr("cotangent 0 is f32[4] but the result is f32[3]"));
}

}  // namespace
}  // namespace meshwright::autodiff
