// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/sums/square_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
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
  std::vector<Dims> over;
  std::vector<Dims> factors = {};
  DType dtype = f32;
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  std::vector<Input> out = {{spmd::random_array(c.dims, 1), lies}};
  for (unsigned i = 0; i < c.factors.size(); ++i)
    out.push_back({spmd::random_array(c.factors[i], 2 + i), {}});
  return out;
}

using Sums = std::vector<Value> (*)(Value x,
                                    const std::vector<Value>& factors,
                                    const std::vector<Dims>& over);

std::vector<Value> by_kernel(Value x,
                             const std::vector<Value>& factors,
                             const std::vector<Dims>& over) {
  return square_sums(x, factors, over);
}

std::vector<Value> by_formula(Value x,
                              const std::vector<Value>& factors,
                              const std::vector<Dims>& over) {
  Value value = graph::cast(x, f32);
  for (const Value& factor : factors)
    value = value * factor;
  std::vector<Value> out;
  for (const Dims& dims : over)
    out.push_back(graph::reduce_sum(value * value, dims));
  return out;
}

std::vector<Value> results(Sums sums, const Case& c, std::span<const Value> in) {
  return sums(graph::cast(in[0], c.dtype), {in.begin() + 1, in.end()}, c.over);
}

void expect_as_formula(const Case& c) {
  const Outcome ours = run_with(by_kernel, c);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
  spmd::expect_all_near(ours.results, run_with(by_formula, c).results, 2e-5);
}

TEST(SquareSums, AreTheirFormulaInAnySize) {
  for (const Dims& dims : {Dims{1, 1}, Dims{1, 9}, Dims{9, 1}, Dims{7, 33}, Dims{100, 300},
                           Dims{3, 40000}, Dims{40000, 3}, Dims{15, 16}, Dims{17, 5000}}) {
    for (const DType dtype : {f32, bf16}) {
      expect_as_formula({.dims = dims, .over = {{0}, {1}}, .dtype = dtype});
      expect_as_formula({.dims = dims, .over = {{1}, {0}, {0, 1}}, .dtype = dtype});
    }
  }
}

TEST(SquareSums, TakeAnyDimensions) {
  const Dims dims = {6, 5, 40, 3};
  for (const std::vector<Dims>& over :
       {std::vector<Dims>{{0}, {2}}, {{1}, {3}}, {{0, 2}, {1, 3}}, {{1, 2, 3}}, {{0, 1, 2, 3}}})
    expect_as_formula({.dims = dims, .over = over});
  expect_as_formula({.dims = {2, 3, 2, 3, 2, 7}, .over = {{0, 2, 4}, {1, 3, 5}}});
}

TEST(SquareSums, TakeFactors) {
  expect_as_formula({{50, 700}, {{0}, {1}}, {{}, {50, 1}, {1, 700}, {}}});
  expect_as_formula({{3, 50, 70}, {{1, 2}}, {{3, 50, 1}, {3, 1, 70}, {3, 1, 1}}});
  expect_as_formula({{2, 9000}, {{0, 1}}, {{1, 9000}, {2, 9000}, {2, 1}}});
  expect_as_formula({{6, 5, 40}, {{0}, {2}}, {{6, 5, 1}, {1, 5, 40}, {}}, bf16});
}

TEST(SquareSums, GiveTheSameBitsEachTime) {
  expect_same_bits_each_time(by_kernel, Case{{300, 1000}, {{0}, {1}, {0, 1}}, {{300, 1}}});
}

TEST(SquareSums, HaveTheirGradient) {
  const Case c{{5, 300}, {{1}}, {{5, 1}, {}}};
  auto gradients = [&](Sums sums) {
    return [&c, sums](std::span<const Value> in) {
      auto loss = [&](std::span<const Value> args) {
        return graph::reduce_sum(results(sums, c, args)[0], {0});
      };
      return autodiff::grad(loss, in);
    };
  };
  const Outcome ours = spmd::run_on({}, inputs_of(c), gradients(by_kernel));
  spmd::expect_all_near(ours.results, spmd::run_on({}, inputs_of(c), gradients(by_formula)).results,
                        1e-5);
}

TEST(SquareSums, ArePlainOpsOnAMesh) {
  const Case c{{8, 6, 40}, {{0}, {1, 2}}};
  const Outcome parts = run_with(by_kernel, c, Mesh({{"data", 4}, {"model", 2}}));
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
}

}  // namespace
}  // namespace meshwright::kernels
