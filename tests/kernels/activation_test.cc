// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/common/activation.h"

#include <string>

#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "spmd_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;

// Returns the program of the gradient of activation(x, factor) with respect to both.
std::string gradient_of_activation(DType dtype) {
  return write_stablehlo(
      graph::trace({{dtype, {8}}, {dtype, {8}}}, [](std::span<const Value> args) {
        auto sum = [](Value x, Value factor) {
          return graph::reduce_sum(graph::cast(activation(Activation::gelu_tanh, x, factor), f32),
                                   {0});
        };
        return autodiff::grad(sum, args);
      }));
}

TEST(Activation, KeepsOnlyItsArgumentsForTheGradient) {
  const std::string text = gradient_of_activation(f32);
  EXPECT_EQ(count(text, "stablehlo.optimization_barrier"), 1);
  EXPECT_EQ(count(text, "stablehlo.tanh"), 1);  // the one of the forward pass is not needed
  const std::size_t barrier = text.find("stablehlo.optimization_barrier");
  EXPECT_LT(barrier, text.find("stablehlo.tanh"));
}

TEST(Activation, IsComputedInF32) {
  const std::string text = gradient_of_activation(bf16);
  const std::size_t tanh = text.find("stablehlo.tanh");
  EXPECT_NE(text.substr(tanh, text.find('\n', tanh) - tanh).find("tensor<8xf32>"), text.npos);
}

TEST(Activation, HasTheGradientThatIsWrittenDown) {
  for (Activation kind :
       {Activation::relu, Activation::gelu, Activation::gelu_tanh, Activation::silu}) {
    const std::vector<spmd::Input> inputs = {{spmd::random_array({50, 7}, 1), {}},
                                             {spmd::random_array({50, 7}, 2), {}},
                                             {spmd::random_array({50, 7}, 3), {}}};
    auto derived = [&](std::span<const Value> in) {
      auto sum = [&](std::span<const Value> args) {
        return graph::reduce_sum(activation(kind, args[0], args[1]) * in[2], {0, 1});
      };
      return autodiff::grad(sum, in.first(2));
    };
    auto written = [&](std::span<const Value> in) {
      auto [of_x, d_factor] = activation_gradient_formula(kind, in[0], in[1], in[2]);
      return std::vector{of_x, d_factor};
    };
    spmd::expect_all_near(spmd::run_on({}, inputs, written).results,
                          spmd::run_on({}, inputs, derived).results, 2e-6);
  }
}

}  // namespace
}  // namespace meshwright::kernels
