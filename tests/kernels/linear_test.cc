// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/linear/linear.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/kernels/simd/panels_bf16.h"
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
  std::int64_t batch = 2, len = 16, in = 8, heads = 2, dim = 4;
  DType dtype = f32;
  DType weight_dtype = f32;
  bool has_bias = true;
  bool is_transposed = false;
  std::optional<Activation> activation = {};
  bool has_factor = false;
};

LinearAxes axes_of(const Case& c) {
  return {"batch len", "embed", "kv dim", c.is_transposed};
}

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  Dims weight = c.is_transposed ? Dims{c.heads, c.dim, c.in} : Dims{c.in, c.heads, c.dim};
  return {{spmd::random_array({c.batch, c.len, c.in}, 1), lies},
          {spmd::random_array(weight, 2), {}},
          {spmd::random_array({c.heads, c.dim}, 3), {}},
          {spmd::random_array({c.batch, c.len, c.heads, c.dim}, 4), lies},
          {spmd::random_array({c.batch, c.len, c.in}, 5), lies}};
}

struct Operands {
  Value x, weight, bias, factor;
};
using Apply = Value (*)(const Case& c, const Operands& operands);

Value by_kernel(const Case& c, const Operands& of) {
  return linear_call(axes_of(c), of.x, of.weight,
                     {.bias = of.bias, .activation = c.activation, .factor = of.factor});
}

Value by_formula(const Case& c, const Operands& of) {
  Value x = c.activation ? activation(*c.activation, of.x, of.factor) : of.x;
  Value w = of.weight, bias = of.bias;
  Dims weights = c.is_transposed ? Dims{2} : Dims{0};
  Value y = graph::dot_general(x, graph::cast(w, x.dtype()),
                               {.lhs_contract = {2}, .rhs_contract = weights}, {.out = f32});
  return graph::cast(bias.is_null() ? y : y + graph::cast(bias, f32), x.dtype());
}

/// Returns the result and, weighted with an input, the gradients of x, weight, bias and factor.
std::vector<Value> results(Apply apply, const Case& c, std::span<const Value> in) {
  std::vector<Value> operands = {graph::cast(in[0], c.dtype), graph::cast(in[1], c.weight_dtype)};
  if (c.has_bias) operands.push_back(graph::cast(in[2], c.weight_dtype));
  if (c.has_factor) operands.push_back(graph::cast(in[4], c.dtype));
  auto applied = [&](std::span<const Value> args) {
    return graph::cast(apply(c, {.x = args[0],
                                 .weight = args[1],
                                 .bias = c.has_bias ? args[2] : Value(),
                                 .factor = c.has_factor ? args.back() : Value()}),
                       f32);
  };
  std::vector<Value> out = {applied(operands)};
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(applied(args) * in[3], {0, 1, 2, 3});
  };
  for (Value gradient : autodiff::grad(loss, operands))
    out.push_back(graph::cast(gradient, f32));
  return out;
}

void expect_as_formula(const Case& c, double tolerance) {
  SCOPED_TRACE(str(c.batch, " ", c.len, " ", c.in, " ", c.heads, " ", c.dim, " ", c.dtype));
  Case exact = c;
  exact.dtype = exact.weight_dtype = f32;
  const auto [ours, formula] = c.dtype == bf16
                                   ? run_in_bf16_and_f32(by_kernel, by_formula, c, exact)
                                   : std::pair(run_with(by_kernel, c), run_with(by_formula, c));
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 3);
  spmd::expect_all_near(ours.results, formula.results, tolerance);
}

TEST(Linear, IsItsFormulaInAnySize) {
  for (bool is_transposed : {false, true}) {
    for (bool has_bias : {false, true}) {
      Case c{.has_bias = has_bias, .is_transposed = is_transposed};
      for (const auto& [batch, len, in, heads, dim] : {std::array<std::int64_t, 5>{2, 16, 8, 2, 4},
                                                       {1, 16, 1, 1, 1},
                                                       {1, 17, 3, 5, 7},
                                                       {3, 7, 33, 1, 31},
                                                       {1, 300, 70, 2, 65},
                                                       {1, 20, 1100, 1, 40},
                                                       {1, 2500, 5, 1, 9}}) {
        c.batch = batch, c.len = len, c.in = in, c.heads = heads, c.dim = dim;
        expect_as_formula(c, 2e-5);
      }
    }
  }
}

TEST(Linear, TakesBf16) {
  for (bool is_transposed : {false, true}) {
    Case c{.len = 50, .in = 61, .dim = 23, .dtype = bf16, .weight_dtype = bf16};
    c.is_transposed = is_transposed;
    expect_as_formula(c, 0.02);
    c.weight_dtype = f32;
    expect_as_formula(c, 0.02);
    c.in = 2200;
    expect_as_formula(c, 0.02);
  }
}

TEST(Linear, KeepsGradientsOfF32WeightsExact) {
  // Factors are bf16, sums are not.
  Case c{.len = 400, .in = 40, .dim = 8, .dtype = bf16, .weight_dtype = f32};
  std::vector<HostTensor> ours = run_with(by_kernel, c).results;
  Outcome exact = spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
    Value x = graph::cast(graph::cast(in[0], bf16), f32);
    Value given = graph::cast(graph::cast(in[3], bf16), f32);
    return std::vector{
        graph::dot_general(x, given, {.lhs_contract = {0, 1}, .rhs_contract = {0, 1}})};
  });
  spmd::expect_near(ours[2], exact.results[0], 1e-5, "gradient of the weight");
}

/// Runs the case on a mesh that shards the batch and this axis, and checks the results.
Outcome run_on_parts(const Case& c, const char* axis) {
  const mesh::AxisRules rules = {{"batch", {"data"}}, {axis, {"model"}}};
  Outcome parts = run_with(by_kernel, c, Mesh({{"data", 4}, {"model", 2}}), rules);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 3) << axis;
  return parts;
}

TEST(Linear, RunsOnPartsOfAMesh) {
  Case c{.batch = 4, .len = 12, .in = 16, .heads = 4, .dim = 4};
  for (bool has_bias : {false, true}) {
    c.has_bias = has_bias;
    for (const char* axis : {"kv", "embed"})
      run_on_parts(c, axis);
  }
}

constexpr Activation kActivations[] = {Activation::relu, Activation::gelu, Activation::gelu_tanh,
                                       Activation::silu};

void expect_activated_as_formula(Case c) {
  c.dtype = c.weight_dtype = f32;
  expect_as_formula(c, 1e-4);
  // Each activated element is rounded independently, so that errors of their sums grow like noise.
  const double tolerance = std::max(0.02, 1e-3 * std::sqrt(c.in));
  c.dtype = bf16;
  expect_as_formula(c, tolerance);
  c.weight_dtype = bf16;
  expect_as_formula(c, tolerance);
}

TEST(Linear, ActivatesWhatItMultiplies) {
  for (Activation activation : kActivations) {
    for (bool has_factor : {false, true})
      expect_activated_as_formula({.activation = activation, .has_factor = has_factor});
  }
}

TEST(Linear, ActivatesInAnySize) {
  for (bool is_transposed : {false, true}) {
    Case c{.is_transposed = is_transposed, .activation = Activation::silu, .has_factor = true};
    for (const auto& [len, in, dim] :
         {std::array<std::int64_t, 3>{1, 1, 1}, {17, 33, 5}, {200, 1100, 40}, {2100, 3, 2}}) {
      c.len = len, c.in = in, c.dim = dim;
      expect_activated_as_formula(c);
    }
  }
}

TEST(Linear, ActivatesWhatTakesSeveralBlocks) {
  // Both sums are longer than a block, also in pairs, and so are rows of the weight.
  Case c{.len = 20, .in = 2500, .dim = 1100, .activation = Activation::gelu_tanh};
  const double of_sums = std::sqrt(2500.0);
  for (DType dtype : {f32, bf16}) {
    c.dtype = c.weight_dtype = dtype;
    expect_as_formula(c, (dtype == f32 ? 2e-6 : 0.01) * of_sums);
  }
}

TEST(Linear, ActivatesLargeNumbers) {
  for (Activation activation : kActivations) {
    Case c{.has_bias = false, .activation = activation};
    auto large = [&](Apply apply) {
      return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
        std::vector<Value> scaled(in.begin(), in.end());
        scaled[0] = in[0] * 3e3;
        return results(apply, c, scaled);
      });
    };
    spmd::expect_near_the_largest(large(by_kernel).results, large(by_formula).results, 1e-5);
  }
}

bool has_call(const runtime::Executable& program, std::string_view target) {
  return program.optimized_program().find(target) != std::string::npos;
}

TEST(Linear, ActivatesPartsOnAMesh) {
  Case c{.batch = 4, .len = 12, .in = 16, .heads = 4, .dim = 4};
  c.activation = Activation::silu, c.has_factor = true;
  for (bool has_bias : {false, true}) {
    c.has_bias = has_bias;
    for (const char* axis : {"kv", "embed"}) {
      const Outcome parts = run_on_parts(c, axis);
      // If the sum is split over devices, its parts are added before use.
      const bool is_whole = std::string_view(axis) == "embed";
      EXPECT_EQ(has_call(parts.program, "mw_activated_gradient"), is_whole);
    }
  }
}

/// Returns the result plus a residual, and optionally the result itself.
std::vector<Value> with_residual(Apply apply,
                                 const Case& c,
                                 std::span<const Value> in,
                                 bool is_needed_itself) {
  Value y = apply(c, {.x = graph::cast(in[0], c.dtype),
                      .weight = graph::cast(in[1], c.weight_dtype),
                      .bias = in[2],
                      .factor = graph::cast(in[4], c.dtype)});
  std::vector<Value> out = {graph::cast(graph::cast(in[3], c.dtype) + y, f32)};
  if (is_needed_itself) out.push_back(graph::cast(y, f32));
  return out;
}

void expect_one_call_with_residual(DType dtype, bool is_needed_itself) {
  Case c{.len = 50, .in = 61, .dim = 23, .dtype = dtype, .weight_dtype = dtype};
  c.activation = Activation::silu;
  auto run = [&](Apply apply) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      return with_residual(apply, c, in, is_needed_itself);
    });
  };
  const Outcome ours = run(by_kernel);
  spmd::expect_all_near(ours.results, run(by_formula).results, dtype == f32 ? 1e-5 : 0.02);
  EXPECT_EQ(count_ops(ours.program, "add"), is_needed_itself ? 1 : 0) << str(dtype);
  EXPECT_EQ(count_ops(ours.program, "custom-call"), 1);
}

TEST(Linear, AddsWhatItsResultIsAddedTo) {
  for (DType dtype : {f32, bf16})
    for (bool is_needed_itself : {false, true})
      expect_one_call_with_residual(dtype, is_needed_itself);
}

TEST(Linear, AddsUpGradientsThatMeet) {
  // Three layers of one x, like queries, keys and values.
  const Case c{.len = 20, .in = 33, .dim = 6};
  auto run = [&](Apply apply) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      auto loss = [&](std::span<const Value> x) {
        Value sum = graph::reduce_sum(apply(c, {x[0], in[1]}) * in[3], {0, 1, 2, 3});
        for (double scale : {2.0, 3.0})
          sum = sum + graph::reduce_sum(apply(c, {x[0], in[1] * scale}) * in[3], {0, 1, 2, 3});
        return sum;
      };
      return autodiff::grad(loss, in.first(1));
    });
  };
  const Outcome ours = run(by_kernel);
  spmd::expect_all_near(ours.results, run(by_formula).results, 1e-5);
  EXPECT_EQ(count_ops(ours.program, "add"), 0);
}

constexpr std::int64_t kStacks = 2, kLayers = 3, kWide = 20;

/// Applies all weights of a stack of stacks, both unrolled, to x; returns the result and the
/// gradients of x and the weights.
std::vector<Value> through_stacks(DType dtype, bool is_transposed, bool by_call, Value x, Value w) {
  auto layer = [&](Value at, Value weight) {
    const LinearAxes axes{"len", "in", "out", is_transposed};
    return by_call ? linear_call(axes, at, weight)
                   : graph::dot_general(at, weight,
                                        {.lhs_contract = {1}, .rhs_contract = {is_transposed}});
  };
  auto along = [](Value at, Value weights, std::int64_t length, const auto& body) {
    auto step = [&](std::span<const Value> carry, std::span<const Value> xs) {
      return graph::ScanStep{.carry = {body(carry[0], xs[0])}, .ys = {}};
    };
    return graph::scan(std::span(&at, 1), std::span(&weights, 1), step,
                       {.length = length, .unroll = length})
        .carry[0];
  };
  auto all = [&](std::span<const Value> args) {
    Value out = along(graph::cast(args[0], dtype), args[1], kStacks, [&](Value at, Value stack) {
      return along(at, stack, kLayers, [&](Value inner, Value weight) {
        return layer(inner, graph::cast(weight, dtype));
      });
    });
    return graph::reduce_sum(graph::cast(out, f32), {0, 1});
  };
  const std::array args = {x, w};
  std::vector<Value> out = autodiff::grad(all, args);
  out.push_back(all(args));
  return out;
}

Outcome run_through_stacks(DType dtype, bool is_transposed, bool by_call) {
  const std::vector<Input> inputs = {{spmd::random_array({kWide, kWide}, 1), {}},
                                     {spmd::random_array({kStacks, kLayers, kWide, kWide}, 2), {}}};
  return spmd::run_on({}, inputs, [&](std::span<const Value> in) {
    return through_stacks(dtype, is_transposed, by_call, in[0], in[1]);
  });
}

TEST(Linear, ReadsWeightsWhereTheyLieInAStack) {
  for (DType dtype : {f32, bf16}) {
    for (bool is_transposed : {false, true}) {
      const Outcome ours = run_through_stacks(dtype, is_transposed, true);
      const Outcome formula = run_through_stacks(dtype, is_transposed, false);
      const std::vector<double> expected = formula.results[1].to_doubles();
      const double most = std::abs(
          *std::ranges::max_element(expected, {}, [](double number) { return std::abs(number); }));
      const double tolerance = most * (dtype == f32 ? 1e-5 : 0.03);
      spmd::expect_near(ours.results[0], formula.results[0], tolerance, "gradient of x");
      spmd::expect_near(ours.results[1], formula.results[1], tolerance, "gradients of weights");
      // No weight is sliced, in the forward or the backward pass.
      EXPECT_EQ(count_ops(ours.program, "slice"), 0);
      EXPECT_GT(count_ops(formula.program, "slice"), 0);
    }
  }
}

TEST(Linear, GivesTheSameBitsEachTime) {
  Case c{.len = 300, .in = 100, .heads = 3, .dim = 50, .dtype = bf16};
  expect_same_bits_each_time(by_kernel, c);
}

TEST(Linear, IsACallWhereThatPays) {
  auto calls = [](std::int64_t len, DType dtype) {
    Case c{.batch = 1, .len = len, .dtype = dtype, .weight_dtype = dtype};
    auto by_rule = [](const Case& what, const Operands& of) {
      return linear(axes_of(what), of.x, of.weight, {.bias = of.bias});
    };
    return count_ops(run_with(by_rule, c).program, "custom-call");
  };
  EXPECT_EQ(calls(16, bf16), has_bf16_pairs() && !has_bf16_tiles() ? 3 : 0);
  EXPECT_EQ(calls(15, bf16), 0);
  EXPECT_EQ(calls(16, f32), has_float_tiles() ? 3 : 0);
  EXPECT_EQ(calls(15, f32), 0);
}

TEST(Linear, HasSecondDerivatives) {
  Case c{.len = 9, .in = 5, .dim = 3};
  auto second = [&](Apply apply) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      auto size = [&](std::span<const Value> args) {
        std::vector<Value> all(in.begin(), in.end());
        std::ranges::copy(args, all.begin());
        std::vector<Value> first = results(apply, c, all);
        return graph::reduce_sum(first[1] * first[1], {0, 1, 2}) +
               graph::reduce_sum(first[2] * first[2], {0, 1, 2});
      };
      return autodiff::grad(size, in.first(3));
    });
  };
  spmd::expect_all_near(second(by_kernel).results, second(by_formula).results, 1e-5);
  c.activation = Activation::gelu, c.has_factor = true;
  spmd::expect_all_near(second(by_kernel).results, second(by_formula).results, 1e-4);
}

std::string message_for(const std::function<Value(std::span<const Value>)>& wrong) {
  return message_of([&] {
    spmd::trace_on({}, inputs_of({}),
                   [&](std::span<const Value> in) { return std::vector{wrong(in)}; });
  });
}

TEST(Linear, RefusesWhatDoesNotFit) {
  EXPECT_THAT(message_for([](auto in) {
                return linear_call({"batch len", "embed", "dim"}, in[0], in[1]);
              }),
              HasSubstr("linear: takes x [batch len embed] and a weight [embed dim], got "
                        "f32[2,16,8] and f32[8,2,4]"));
  EXPECT_THAT(message_for([](auto in) {
                return linear_call({"batch len", "embed", "kv dim"}, in[0], in[3]);
              }),
              HasSubstr("linear: takes x"));
  EXPECT_THAT(message_for([](auto in) {
                return linear_call({"batch len", "embed", "kv dim", true}, in[0], in[1]);
              }),
              HasSubstr("linear: sizes of [embed] differ between f32[2,16,8] and f32[8,2,4]"));
  EXPECT_THAT(message_for([](auto in) {
                return linear_call({"batch len", "embed", "kv dim"}, in[0], in[1], {.bias = in[0]});
              }),
              HasSubstr("linear: the bias must be [kv dim], f32[2,4], got f32[2,16,8]"));
  EXPECT_THAT(message_for([](auto in) {
                return linear_call({"batch len", "embed", "kv dim"}, in[0], in[1],
                                   {.activation = Activation::silu, .factor = in[1]});
              }),
              HasSubstr("linear: the factor must be f32[2,16,8], got f32[8,2,4]"));
}

}  // namespace
}  // namespace meshwright::kernels
