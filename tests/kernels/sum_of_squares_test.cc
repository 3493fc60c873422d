// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sums/sum_of_squares.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using mesh::Mesh;
using runtime::count_ops;
using spmd::Input;
using spmd::Outcome;

struct Case {
  Dims dims;
  DType dtype = f32;
  double factor = 1;  // multiplies x
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  return {{spmd::random_array(c.dims, 1), lies}};
}

using Sum = Value (*)(Value x);

Value by_kernel(Value x) {
  return sum_of_squares(x);
}

/// Returns the sum and its gradient.
std::vector<Value> results(Sum sum, const Case& c, std::span<const Value> in) {
  auto of = [&](std::span<const Value> args) {
    return sum(graph::cast(args[0] * c.factor, c.dtype));
  };
  return {of(in), autodiff::grad(of, in)[0]};
}

/// Sums sequentially in f64.
double expected_sum(const Case& c) {
  double out = 0;
  for (const double drawn : spmd::random_array(c.dims, 1).to_doubles()) {
    double x = static_cast<float>(static_cast<float>(drawn) * static_cast<float>(c.factor));
    if (c.dtype == bf16) x = static_cast<float>(BFloat16(static_cast<float>(x)));
    out += x * x;
  }
  return out;
}

void expect_right(const Case& c, double tolerance = 1e-6) {
  const Outcome ours = run_with(by_kernel, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
  const double expected = expected_sum(c);
  EXPECT_NEAR(ours.results[0].to_doubles()[0], expected, tolerance * expected);
}

TEST(SumOfSquares, IsRightInAnySize) {
  for (const Dims& dims : {Dims{}, Dims{1}, Dims{33}, Dims{7, 9}, Dims{2, 3, 4, 5, 6}, Dims{32767},
                           Dims{32768}, Dims{32769}, Dims{3, 100000}}) {
    expect_right({dims});
    expect_right({dims, bf16});
  }
}

TEST(SumOfSquares, StandsLargeAndSmallNumbers) {
  expect_right({{1000}, f32, 1e16});
  expect_right({{1000}, f32, 1e-15});
}

TEST(SumOfSquares, HasItsGradient) {
  for (const DType dtype : {f32, bf16}) {
    const Case c{{5, 300}, dtype};
    const std::vector<double> found = run_with(by_kernel, c).results[1].to_doubles();
    const std::vector<double> x = spmd::random_array(c.dims, 1).to_doubles();
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(found[i], 2 * x[i], (dtype == f32 ? 1e-6 : 2e-2) * std::abs(2 * x[i])) << i;
  }
}

TEST(SumOfSquares, TellsWhatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    const Outcome out = run_with(by_kernel, Case{{70000}, f32, bad});
    EXPECT_FALSE(std::isfinite(out.results[0].to_doubles()[0]));
  }
}

TEST(SumOfSquares, GivesTheSameBitsEachTime) {
  expect_same_bits_each_time(by_kernel, Case{{300, 1000}});
}

TEST(SumOfSquares, IsPlainOpsOnAMesh) {
  const Case c{{8, 6, 40}};
  const Outcome parts =
      spmd::run_on(Mesh({{"data", 4}, {"model", 2}}), inputs_of(c, mesh::Sharding{{{"data"}}}),
                   [](std::span<const Value> in) { return std::vector{sum_of_squares(in[0])}; });
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
  EXPECT_EQ(count_ops(parts.program, "all-gather"), 0);
  const double expected = expected_sum(c);
  EXPECT_NEAR(parts.results[0].to_doubles()[0], expected, 1e-6 * expected);
}

}  // namespace
}  // namespace meshwright::kernels
