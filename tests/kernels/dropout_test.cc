// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/dropout/dropout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/dims.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/remat.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using graph::Value;
using graph::random::Key;
using graph::random::KeyKind;
using spmd::Input;
using spmd::Outcome;
using ::testing::HasSubstr;

struct Case {
  Dims dims;
  double p = 0.9;
  DType dtype = f32;
  KeyKind kind = KeyKind::threefry;
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  return {{spmd::random_array(c.dims, 1), lies}, {spmd::random_array(c.dims, 2), lies}};
}

using Drop = Value (*)(Value x, const Key& key, double p);

Value by_kernel(Value x, const Key& key, double p) {
  return dropout(x, {key, p});
}

Value by_formula(Value x, const Key& key, double p) {
  Value scaled = graph::cast(x, f32) / p;
  return graph::cast(graph::where(graph::random::bernoulli(key, p, x.dims()), scaled, 0),
                     x.dtype());
}

/// Returns the result and, weighted with the last input, the gradient.
std::vector<Value> results(Drop drop, const Case& c, std::span<const Value> in) {
  const Key key = graph::random::key(7, c.kind);
  Value x = graph::cast(in[0], c.dtype), weights = graph::cast(in[1], c.dtype);
  auto loss = [&](std::span<const Value> args) {
    Value weighted = graph::cast(drop(args[0], key, c.p) * weights, f32);
    return graph::reduce_sum(weighted, graph::counting(weighted.rank()));
  };
  return {graph::cast(drop(x, key, c.p), f32),
          graph::cast(autodiff::grad(loss, std::vector{x})[0], f32)};
}

bool calls(const Outcome& outcome, const std::string& kernel) {
  return outcome.program.optimized_program().find(kernel) != std::string::npos;
}

void expect_same(const Outcome& actual, const Outcome& expected) {
  ASSERT_EQ(actual.results.size(), expected.results.size());
  for (std::size_t i = 0; i < actual.results.size(); ++i)
    EXPECT_EQ(actual.results[i].to_doubles(), expected.results[i].to_doubles()) << "result " << i;
}

class Dropouts : public testing::TestWithParam<Case> {};

TEST_P(Dropouts, AreThoseOfTheFormula) {
  const Outcome by_op = run_with(by_kernel, GetParam());
  EXPECT_EQ(calls(by_op, "mw_dropout"), num_elements(GetParam().dims) > 0);
  expect_same(by_op, run_with(by_formula, GetParam()));
}

// Sizes: empty, one element, partial vectors, several tasks. Keeps all elements, or hardly any.
INSTANTIATE_TEST_SUITE_P(Cases,
                         Dropouts,
                         testing::Values(Case{{}},
                                         Case{{1}, 0.5},
                                         Case{{0, 3}},
                                         Case{{3, 5, 7}},
                                         Case{{2, 64, 33}, 0.9, bf16},
                                         Case{{40001}, 0.1, bf16},
                                         Case{{5, 20003}, 0.75},
                                         Case{{4099}, 1 - 1e-9},
                                         Case{{4099}, 1e-6}));

TEST(Dropout, KeepsNaN) {
  const graph::Program program = graph::trace({{f32, {1000}}}, [](std::span<const Value> in) {
    return std::vector{dropout(in[0], {graph::random::key(7), 0.5})};
  });
  HostTensor x({f32, {1000}});
  for (float& value : x.mutable_values<float>())
    value = std::numeric_limits<float>::quiet_NaN();
  int num_nan = 0;
  for (double value : run(runtime::test_client().compile(program), {x})[0].to_doubles()) {
    if (std::isnan(value))
      ++num_nan;
    else
      EXPECT_EQ(value, 0);
  }
  EXPECT_NEAR(num_nan, 500, 80);
}

// The kernel does not support shared dimensions.
TEST(Dropout, OfSharedDimensionsIsThatOfOneElementOfEach) {
  const graph::Program program = graph::trace({{f32, {40, 8}}}, [](std::span<const Value> in) {
    const Drawing drawing{graph::random::key(7), 0.5};
    Value column = graph::slice(in[0], {0, 0}, {40, 1});
    return std::vector{dropout(in[0], drawing, {-1}),
                       graph::broadcast_to(dropout(column, drawing), {40, 8})};
  });
  HostTensor ones({f32, {40, 8}});
  std::ranges::fill(ones.mutable_values<float>(), 1.0f);
  const auto dropped = run(runtime::test_client().compile(program), {ones});
  EXPECT_EQ(dropped[0].to_doubles(), dropped[1].to_doubles());
}

// The backward pass recomputes the layer, and so draws its dropout for the third time.
TEST(Dropout, IsThatOfTheFormulaWhereItIsComputedAgain) {
  auto gradient_with = [](Drop drop) {
    const HostTensor x = spmd::random_array({33, 7}, 3);
    const graph::Program program = graph::trace({x.type()}, [&](std::span<const Value> in) {
      auto layer = [&](std::span<const Value> args) {
        Value y = graph::tanh(drop(args[0], graph::random::key(3), 0.75));
        return std::vector{drop(y, graph::random::key(4), 0.5) * y};
      };
      auto loss = [&](std::span<const Value> args) {
        return graph::reduce_sum(graph::remat(args, layer)[0], {0, 1});
      };
      return std::vector{autodiff::grad(loss, std::vector{in[0]})[0]};
    });
    return run(runtime::test_client().compile(program), {x})[0];
  };
  spmd::expect_all_near({gradient_with(by_kernel)}, {gradient_with(by_formula)}, 1e-6);
}

TEST(Dropout, IsPlainArithmeticOnAMeshAndWithOtherKeys) {
  const mesh::Mesh eight({{"data", 8}});
  const Case c{{16, 24}}, with_rbg{{16, 24}, 0.9, f32, KeyKind::rbg};
  const Outcome split = run_with(by_kernel, c, eight);
  EXPECT_FALSE(calls(split, "mw_"));
  expect_same(split, run_with(by_formula, c));
  EXPECT_FALSE(calls(run_with(by_kernel, with_rbg), "mw_dropout"));
}

TEST(Dropout, RejectsWhatItCannotDrop) {
  graph::Tracer tracer;
  Value word = graph::zeros({u32, {}});
  EXPECT_THAT(message_of([&] {
                graph::emit_all(kDropout, {graph::zeros({f16, {3}}), word, word}, DropoutAttrs{0.5},
                                {}, {});
              }),
              HasSubstr("dropout: x must be f32 or bf16, got f16[3]"));
  EXPECT_THAT(message_of([&] {
                graph::emit_all(kDropout,
                                {graph::zeros({f32, {3}}), word, graph::zeros({u32, {2}})},
                                DropoutAttrs{0.5}, {}, {});
              }),
              HasSubstr("key words must be u32 scalars, got u32[2]"));
}

}  // namespace
}  // namespace meshwright::kernels
