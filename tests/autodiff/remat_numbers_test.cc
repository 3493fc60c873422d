// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "numbers_testutil.h"

namespace meshwright::autodiff {
namespace {

using graph::SavePolicy;
using Values = std::vector<Value>;
using Args = std::span<const Value>;

// Three layers x -> tanh(x w) + x with marked products.
Value network(Value x, Value w, const SavePolicy& policy) {
  auto layer = [](Args in) {
    Value product = save(dot_general(in[0], in[1], {{}, {}, {1}, {0}}), "product");
    return Values{tanh(product) * sin(product) + in[0]};
  };
  for (int i = 0; i < 3; ++i)
    x = remat(Values{x, w}, layer, policy)[0];
  return sum_all(x * x);
}

const std::vector<SavePolicy> kPolicies = {graph::keep_everything(), graph::keep_nothing(),
                                           graph::keep_dots(), graph::keep_saved(),
                                           graph::keep_saved({"product"})};

TEST(RematNumbers, AreThoseOfTheDifferences) {
  for (const SavePolicy& policy : kPolicies) {
    auto fn = [&](Value x, Value w) { return network(x, w, policy); };
    EXPECT_EQ(gradient_error(fn, {sample({2, 3}), sample({3, 3}, 1)}, {.order = 2}), "");
  }
}

TEST(RematNumbers, NestedRematHasTheSameGradient) {
  auto fn = [](Value x, Value w) {
    auto outer = [](Args in) { return Values{network(in[0], in[1], graph::keep_dots())}; };
    return graph::remat(Values{x, w}, outer)[0];
  };
  EXPECT_EQ(gradient_error(fn, {sample({2, 3}), sample({3, 3}, 1)}, {.order = 2}), "");
}

// Returns the number of tanh computations in the optimized program.
int tanhs(const SavePolicy& policy) {
  graph::Program program = graph::trace({{f32, {64, 64}}, {f32, {64, 64}}}, [&](Args in) {
    auto fn = [&](Value x, Value w) { return network(x, w, policy); };
    auto out = value_and_grad(fn, in);
    return Values{out.value, out.gradients[0], out.gradients[1]};
  });
  return runtime::count_ops(runtime::test_client().compile(program), "tanh");
}

TEST(RematNumbers, TheCompilerDoesNotUndoTheRecomputation) {
  // Without the barrier the compiler merges the two passes.
  EXPECT_EQ(tanhs(graph::keep_everything()), 3);
  EXPECT_EQ(tanhs(graph::keep_nothing()), 6);
  SavePolicy without_barrier = graph::keep_nothing();
  without_barrier.barrier = false;
  EXPECT_EQ(tanhs(without_barrier), 3);
}

TEST(CustomGradientNumbers, ComeFromTheBackwardFunction) {
  // sqrt with a handwritten gradient 1 / (2 sqrt x), in both orders.
  auto root = [](Value x) {
    auto forward = [](Args in) {
      Value y = sqrt(in[0]);
      return graph::ForwardResult{.results = {y}, .kept = {y}};
    };
    auto backward = [](Args kept, Args c) { return Values{c[0] * 0.5 / kept[0]}; };
    return graph::custom_gradient(Values{x}, forward, backward)[0];
  };
  HostTensor point = HostTensor::from<double>({0.5, 1.5, 2.5}, {3});
  EXPECT_EQ(gradient_error(root, {point}, {.order = 2}), "");

  auto thrice = [&](Value x) {
    auto forward = [](Args in) { return graph::ForwardResult{.results = {in[0]}}; };
    auto backward = [](Args, Args c) { return Values{c[0] * 3}; };
    return graph::custom_gradient(Values{x}, forward, backward)[0];
  };
  auto gradient = [&](Value x) {
    return grad([&](Value y) { return sum_all(thrice(square(y))); }, x);
  };
  EXPECT_THAT(evaluate(gradient, {point})[0], testing::ElementsAre(3.0, 9.0, 15.0));
}

TEST(CustomGradientNumbers, SurviveRemat) {
  auto fn = [](Value x) {
    auto body = [](Args in) {
      auto forward = [](Args a) { return graph::ForwardResult{{sin(a[0])}, {cos(a[0])}}; };
      auto backward = [](Args kept, Args c) { return Values{c[0] * kept[0]}; };
      return graph::custom_gradient(Values{exp(in[0])}, forward, backward);
    };
    return graph::remat(Values{x}, body)[0];
  };
  EXPECT_EQ(gradient_error(fn, {sample({3})}, {.order = 2}), "");
}

}  // namespace
}  // namespace meshwright::autodiff
