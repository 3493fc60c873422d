// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/norm/norm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/functions.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using mesh::Mesh;
using runtime::count_ops;
using spmd::Input;
using spmd::Outcome;
using ::testing::HasSubstr;

struct Case {
  Dims dims;
  bool centered = false, has_bias = false;
  DType dtype = f32;
  double size_of_x = 1;
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  const Dims row = {c.dims.back()};
  return {{spmd::random_array(c.dims, 1), lies},
          {spmd::random_array(row, 2), {}},
          {spmd::random_array(row, 3), {}},
          {spmd::random_array(c.dims, 4), lies}};
}

using Normalize = Value (*)(Value x, Value scale, Value bias, const NormOptions& options);

Value by_kernel(Value x, Value scale, Value bias, const NormOptions& options) {
  return norm(x, scale, bias, options);
}

/// The formulas of the papers.
Value by_formula(Value x, Value scale, Value bias, const NormOptions& options) {
  Value wide = graph::cast(x, f32);
  if (options.centered) wide = wide - graph::mean(wide, {-1}, {.keep_dims = true});
  Value power = graph::mean(graph::square(wide), {-1}, {.keep_dims = true});
  Value out = wide / graph::sqrt(power + options.epsilon) * scale;
  if (!bias.is_null()) out = out + bias;
  return graph::cast(out, x.dtype());
}

/// Returns the result and, weighted with the fourth input, the gradients of x, scale and bias.
std::vector<Value> results(Normalize normalize, const Case& c, std::span<const Value> in) {
  auto run = [&](std::span<const Value> args) {
    Value x = graph::cast(args[0] * c.size_of_x, c.dtype);
    Value y = normalize(x, args[1], c.has_bias ? args[2] : Value(), {.centered = c.centered});
    return graph::cast(y, f32);
  };
  std::vector<Value> out = {run(in)};
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(run(args) * in[3], graph::counting(in[3].rank()));
  };
  std::vector<Value> gradients = autodiff::grad(loss, in.first(c.has_bias ? 3 : 2));
  out.insert(out.end(), gradients.begin(), gradients.end());
  return out;
}

void expect_as_formula(const Case& c, double tolerance) {
  Outcome ours = run_with(by_kernel, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 2);
  spmd::expect_all_near(ours.results, run_with(by_formula, c).results, tolerance);
}

TEST(Norm, IsItsFormulaInAnySize) {
  for (bool centered : {false, true}) {
    for (const Dims& dims : {Dims{2, 9, 16}, Dims{1, 1, 1}, Dims{3, 7, 33}, Dims{5, 1000},
                             Dims{2, 300, 96}, Dims{17}, Dims{2, 5, 3, 8}, Dims{2, 5, 3, 2, 24}}) {
      expect_as_formula({dims, centered, false}, 2e-5);
      expect_as_formula({dims, centered, true}, 2e-5);
    }
  }
}

TEST(Norm, StandsLargeNumbers) {
  expect_as_formula({{2, 9, 40}, true, true, f32, 1e4}, 2e-5);
  expect_as_formula({{2, 9, 40}, false, false, f32, 1e4}, 2e-5);
}

TEST(Norm, TakesBf16) {
  for (const Case& c : {Case{{2, 70, 256}, true, true, bf16}, {{2, 7, 33}, false, false, bf16}}) {
    Case exact = c;
    exact.dtype = f32;
    const auto [ours, formula] = run_in_bf16_and_f32(by_kernel, by_formula, c, exact);
    EXPECT_EQ(count_ops(ours.program, "custom-call"), 2);
    spmd::expect_near_the_largest(ours.results, formula.results, 0.005);
  }
}

TEST(Norm, GivesTheSameBitsEachTime) {
  Case c{{4, 100, 96}, true, true};
  expect_same_bits_each_time(by_kernel, c);
}

TEST(Norm, RunsOnPartsOfAMesh) {
  Case c{{8, 6, 40}, true, true};
  const Mesh mesh({{"data", 4}, {"model", 2}});
  const mesh::AxisRules rules({{"batch", {"data"}}});
  Outcome parts = run_with(by_kernel, c, mesh, rules);
  Outcome plain = run_with(by_formula, c, mesh, rules);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 2);
  EXPECT_LE(count_ops(parts.program, "all-gather"), count_ops(plain.program, "all-gather"));
}

TEST(Norm, IsItsFormulaWhereRowsAreSplit) {
  for (bool centered : {false, true}) {
    Case c{{8, 6, 40}, centered, true};
    Outcome parts =
        spmd::run_on(Mesh({{"data", 4}, {"model", 2}}), inputs_of(c),
                     [&](std::span<const Value> in) { return results(by_kernel, c, in); },
                     {{"batch", {"data"}}, {"embed", {"model"}}});
    spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
    EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
  }
}

Outcome second_derivatives(const Case& c, Normalize normalize) {
  return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
    auto size = [&](std::span<const Value> args) {
      std::vector<Value> all = {args[0], args[1], in[2], in[3]};
      return graph::reduce_sum(graph::square(results(normalize, c, all)[1]), {0, 1, 2});
    };
    return autodiff::grad(size, in.first(2));
  });
}

TEST(Norm, HasSecondDerivatives) {
  for (bool centered : {false, true}) {
    const Case c{{2, 3, 12}, centered, true};
    spmd::expect_all_near(second_derivatives(c, by_kernel).results,
                          second_derivatives(c, by_formula).results, 5e-5);
  }
}

TEST(Norm, RefusesWhatDoesNotFit) {
  Case c{{2, 5, 4}};
  EXPECT_THAT(message_of([&] {
                spmd::trace_on({}, inputs_of(c), [](std::span<const Value> in) {
                  return std::vector{norm(in[0], in[0], {})};
                });
              }),
              HasSubstr("norm: the scale must be f32[4], got f32[2,5,4]"));
}

}  // namespace
}  // namespace meshwright::kernels
