// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/custom_gradient.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/all_ops.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::autodiff {
namespace {

using graph::ForwardResult;
using testing::HasSubstr;
using testing::Not;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

// Rounds, with the gradient of the identity times cosh of the argument.
Value round_through(Value x) {
  auto forward = [](Args in) {
    return ForwardResult{.results = {round_even(in[0])}, .kept = {cosh(in[0])}};
  };
  auto backward = [](Args kept, Args cotangents) { return Values{kept[0] * cotangents[0]}; };
  return graph::custom_gradient(std::vector{x}, forward, backward)[0];
}

TEST(CustomGradient, WritesOnlyTheForwardFunctionWhereNothingIsDifferentiated) {
  std::string text = write_stablehlo(
      graph::trace({{f32, {3}}}, [](Args args) { return Values{round_through(args[0])}; }));
  EXPECT_THAT(text, HasSubstr("round_nearest_even"));
}

TEST(CustomGradient, ReplacesThatOfTheForwardFunction) {
  std::string text = write_stablehlo(
      graph::trace({{f32, {}}}, [](Args args) { return Values{grad(round_through, args[0])}; }));
  EXPECT_THAT(text, HasSubstr("stablehlo.multiply"));
  EXPECT_THAT(text, Not(HasSubstr("round_nearest_even")));
}

TEST(CustomGradient, MayUseValuesFromOutsideAsConstants) {
  graph::trace({{f32, {}}, {f32, {}}}, [](Args args) {
    auto fn = [&](Value x) {
      auto forward = [&](Args in) { return ForwardResult{{in[0] * args[1]}, {}}; };
      auto backward = [&](Args, Args cotangents) { return Values{cotangents[0] * args[1]}; };
      return graph::custom_gradient(std::vector{x}, forward, backward)[0];
    };
    return Values{grad(fn, args[0])};
  });
}

TEST(CustomGradient, OfAValueFromOutsideIsAnError) {
  auto fn = [](Value x, Value y) {
    auto forward = [&](Args in) { return ForwardResult{{in[0] * y}, {}}; };
    auto backward = [&](Args, Args cotangents) { return cotangents; };
    return graph::custom_gradient(std::vector{x}, forward, [&](Args kept, Args c) {
      Args out = backward(kept, c);
      return Values(out.begin(), out.end());
    })[0];
  };
  EXPECT_THAT(message_of([&] {
                graph::trace({{f32, {}}, {f32, {}}}, [&](Args args) { return grad(fn, args); });
              }),
              HasSubstr("the outer value f32[] gets no gradient"));
}

TEST(CustomGradient, OfAnotherTypeThanTheArgumentIsAnError) {
  auto forward = [](Args in) { return ForwardResult{{in[0]}, {}}; };
  auto wrong_type = [](Args, Args c) { return Values{cast(c[0], bf16)}; };
  auto wrong_number = [](Args, Args) { return Values{}; };
  EXPECT_THAT(message_of([&] {
                graph::trace({{f32, {2}}}, [&](Args args) {
                  return graph::custom_gradient(args, forward, wrong_type);
                });
              }),
              HasSubstr("the gradient of argument 0 is bf16[2] but the argument is f32[2]"));
  EXPECT_THAT(message_of([&] {
                graph::trace({{f32, {2}}}, [&](Args args) {
                  return graph::custom_gradient(args, forward, wrong_number);
                });
              }),
              HasSubstr("returns 0 gradients for 1 arguments"));
}

}  // namespace
}  // namespace meshwright::autodiff
