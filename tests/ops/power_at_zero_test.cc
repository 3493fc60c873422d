// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "ops_testutil.h"

namespace meshwright::graph {
namespace {

using testing::Each;

// Differs from JAX, where the gradient of 0.0 ** 0.0 with respect to the base is NaN: here x ** 0
// is 1 for every x.
TEST(Power, GradientsAtZeroToTheZeroAreZero) {
  for (DType dtype : {f32, f64, bf16}) {
    auto results = evaluate(
        [&](std::span<const Value>) {
          Value zeros = constant(0, dtype, {100});
          autodiff::Vjp power = autodiff::vjp(
              [](std::span<const Value> a) { return std::vector<Value>{pow(a[0], a[1])}; },
              {zeros, zeros});
          std::vector<Value> all = power.pullback(std::vector{constant(1, dtype, {100})});
          all.push_back(power.results[0]);
          return all;
        },
        {});
    EXPECT_THAT(results[0].to_doubles(), Each(0)) << "by the base, " << dtype_name(dtype);
    EXPECT_THAT(results[1].to_doubles(), Each(0)) << "by the exponent, " << dtype_name(dtype);
    EXPECT_THAT(results[2].to_doubles(), Each(1));
  }
}

}  // namespace
}  // namespace meshwright::graph
