// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/attention/attention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
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
using ::testing::HasSubstr;

struct Shape {
  std::int64_t batch, len, src, kv, q, dim;
};

enum class Sight { everything, causal, random, nothing_for_some };

/// Returns 1 where query i may attend to key j, independently of all inputs.
HostTensor mask_of(const Shape& s, Sight sight) {
  bool per_batch = sight == Sight::random || sight == Sight::nothing_for_some;
  HostTensor mask({pred, per_batch ? Dims{s.batch, s.len, s.src} : Dims{s.len, s.src}});
  auto* bytes = reinterpret_cast<std::uint8_t*>(mask.mutable_data());
  const std::int64_t rows = mask.type().num_bytes() / s.src;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t j = 0; j < s.src; ++j) {
      bool seen = sight == Sight::causal ? j <= row : (row * 7 + j * 13) % 5 < 2;
      if (sight == Sight::nothing_for_some && row % 3 == 1) seen = false;
      bytes[row * s.src + j] = seen ? 1 : 0;
    }
  }
  return mask;
}

struct Case {
  Shape shape;
  Sight sight = Sight::everything;
  DType dtype = f32;
  double size_of_logits = 1;
  bool has_bias = false;
  double p = 1;  ///< less than 1: keep probability of dropout
};

std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  const Shape& s = c.shape;
  std::vector<Input> inputs = {
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 1), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 2), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 3), lies},
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 4), lies},
  };
  if (c.sight != Sight::everything) inputs.push_back({mask_of(s, c.sight), {}});
  if (c.has_bias) inputs.push_back({spmd::random_array({s.kv, s.q, s.len, s.src}, 5), {}});
  return inputs;
}

using Attend = Value (*)(Value q, Value k, Value v, const AttentionOptions& options);

Value by_kernel(Value q, Value k, Value v, const AttentionOptions& options) {
  return attention(q, k, v, options);
}

Value by_formula(Value q, Value k, Value v, const AttentionOptions& options) {
  Value probs = attention_probabilities(q, k, options.mask, options.bias);
  if (options.dropout) probs = dropout(probs, *options.dropout);
  return weighted_values(probs, v);
}

/// Returns the result and, weighted with the fourth input, the gradients of q, k, v and the bias.
std::vector<Value> results(Attend attend, const Case& c, std::span<const Value> in) {
  Value mask = c.sight == Sight::everything ? Value() : in[4];
  std::vector<Value> of = {graph::cast(in[0] * c.size_of_logits, c.dtype),
                           graph::cast(in[1], c.dtype), graph::cast(in[2], c.dtype)};
  if (c.has_bias) of.push_back(in.back() * (3 * c.size_of_logits));
  auto attended = [&](std::span<const Value> args) {
    AttentionOptions options{.mask = mask};
    if (c.has_bias) options.bias = args[3];
    if (c.p < 1) options.dropout = Drawing{graph::random::key(11), c.p};
    return graph::cast(attend(args[0], args[1], args[2], options), f32);
  };
  std::vector<Value> out = {attended(of)};
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(attended(args) * in[3], {0, 1, 2, 3, 4});
  };
  for (Value gradient : autodiff::grad(loss, of))
    out.push_back(graph::cast(gradient, f32));
  return out;
}

Outcome run_with(Attend attend, const Case& c, const Mesh& mesh = {}) {
  mesh::Sharding lies;
  mesh::AxisRules rules;
  if (mesh.num_devices() > 1) {
    lies = mesh::Sharding{{{"data"}}};
    rules = {{"batch", {"data"}}, {"kv", {"model"}}};
  }
  return spmd::run_on(
      mesh, inputs_of(c, lies), [&](std::span<const Value> in) { return results(attend, c, in); },
      rules);
}

/// For cases in bf16; the tolerance is relative to the largest element of each result.
void expect_bf16_as_f32(const Case& c, double tolerance) {
  Case exact = c;
  exact.dtype = f32;
  const auto [ours, formula] = run_in_bf16_and_f32(by_kernel, by_formula, c, exact);
  EXPECT_GE(count_ops(ours.program, "custom-call"), 2);
  spmd::expect_near_the_largest(ours.results, formula.results, tolerance);
}

void expect_as_formula(const Case& c, double tolerance) {
  Outcome ours = run_with(by_kernel, c);
  Outcome formula = run_with(by_formula, c);
  EXPECT_GE(count_ops(ours.program, "custom-call"), 2);
  spmd::expect_all_near(ours.results, formula.results, tolerance);
}

TEST(Attention, IsItsFormulaInAnySize) {
  for (const Shape& shape :
       {Shape{2, 16, 16, 2, 1, 16}, Shape{1, 9, 33, 3, 2, 5}, Shape{2, 130, 70, 1, 1, 64},
        Shape{1, 8, 1, 1, 1, 1}, Shape{1, 600, 40, 1, 1, 24}, Shape{1, 20, 1030, 1, 2, 40}}) {
    expect_as_formula({.shape = shape}, 1e-5);
    expect_as_formula({.shape = shape, .sight = Sight::random}, 1e-5);
  }
}

TEST(Attention, DropsProbabilitiesAsTheFormula) {
  expect_as_formula({.shape = {2, 16, 16, 2, 1, 16}, .p = 0.5}, 1e-5);
  expect_as_formula({.shape = {2, 130, 70, 2, 2, 24}, .p = 0.9}, 1e-5);
  expect_as_formula({.shape = {3, 70, 40, 2, 2, 24}, .has_bias = true, .p = 0.75}, 1e-5);
  expect_as_formula({.shape = {1, 9, 2100, 2, 1, 8}, .p = 0.1}, 1e-5);
  for (Sight sight : {Sight::causal, Sight::random, Sight::nothing_for_some})
    expect_as_formula({.shape = {2, 200, 200, 2, 2, 32}, .sight = sight, .p = 0.8}, 1e-5);
  expect_bf16_as_f32({.shape = {2, 33, 50, 2, 1, 16}, .dtype = bf16, .p = 0.8}, 0.008);
}

TEST(Attention, TakesKeysOfTwoWordsAndProbabilities) {
  graph::Tracer tracer;
  Value q = graph::zeros({f32, {2, 8, 1, 1, 4}}), k = graph::zeros({f32, {2, 8, 1, 4}});
  Value word = graph::zeros({u32, {}});
  auto call_with = [&](std::vector<Value> words) {
    words.insert(words.begin(), {q, k, k});
    return message_of([&] { graph::emit_all(kAttention, words, AttentionAttrs{0.5}, {}, {}); });
  };
  EXPECT_THAT(call_with({word}), HasSubstr("expected two key words, got 1"));
  EXPECT_THAT(call_with({word, graph::zeros({u32, {2}})}), HasSubstr("got u32[2]"));
  for (double p : {0.0, -0.5, 1.5}) {
    const Drawing drawing{graph::random::key(1), p};
    EXPECT_THAT(message_of([&] { attention(q, k, k, {.dropout = drawing}); }),
                HasSubstr("above 0 and at most 1"));
    EXPECT_THAT(message_of([&] { dropout(q, drawing); }), HasSubstr("above 0 and at most 1"));
  }
}

// The random numbers depend on the position of an element in the whole array.
TEST(Attention, IsItsFormulaOnAMeshWhereItDrops) {
  const Case c{.shape = {4, 24, 24, 2, 1, 16}, .p = 0.5};
  const Outcome parts = run_with(by_kernel, c, Mesh({{"data", 2}, {"model", 2}}));
  EXPECT_EQ(count_ops(parts.program, "custom-call"), 0);
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
}

TEST(Attention, SeesWhatTheMaskShows) {
  expect_as_formula({.shape = {2, 200, 200, 2, 2, 32}, .sight = Sight::causal}, 1e-5);
  expect_as_formula({.shape = {2, 37, 50, 2, 1, 16}, .sight = Sight::random}, 1e-5);
  expect_as_formula({.shape = {2, 37, 50, 2, 1, 16}, .sight = Sight::nothing_for_some}, 1e-5);
}

TEST(Attention, StandsLargeLogits) {
  expect_as_formula({.shape = {1, 40, 40, 2, 1, 16}, .sight = Sight::causal, .size_of_logits = 1e4},
                    1e-4);
}

TEST(Attention, AddsABias) {
  for (const Shape& shape :
       {Shape{2, 16, 16, 2, 1, 16}, Shape{3, 9, 33, 3, 2, 5}, Shape{20, 30, 17, 1, 3, 8},
        Shape{5, 8, 1, 20, 1, 4}, Shape{1, 600, 40, 1, 1, 24}, Shape{1, 20, 1030, 1, 2, 40}}) {
    expect_as_formula({.shape = shape, .has_bias = true}, 1e-5);
  }
  Shape odd{3, 37, 50, 2, 1, 16}, square{2, 200, 200, 2, 2, 32};
  expect_as_formula({.shape = odd, .sight = Sight::random, .has_bias = true}, 1e-5);
  expect_as_formula({.shape = odd, .sight = Sight::nothing_for_some, .has_bias = true}, 1e-5);
  expect_as_formula({.shape = square, .sight = Sight::causal, .has_bias = true}, 1e-5);
}

TEST(Attention, AddsABiasToLargeLogits) {
  expect_as_formula({.shape = {2, 40, 40, 2, 1, 16},
                     .sight = Sight::causal,
                     .size_of_logits = 1e4,
                     .has_bias = true},
                    1e-4);
}

TEST(Attention, AddsABiasInF32ToBf16) {
  Case c{.shape = {4, 64, 64, 2, 2, 32}, .sight = Sight::causal, .dtype = bf16, .has_bias = true};
  expect_bf16_as_f32(c, 0.008);
}

TEST(Attention, LeavesOtherFormsOfABiasToTheFormula) {
  Case c{.shape = {2, 16, 16, 2, 1, 8}, .has_bias = true};
  auto program_with = [&](Dims bias) {
    auto inputs = inputs_of(c);
    inputs.back() = {spmd::random_array(std::move(bias), 5), {}};
    auto attend = [](std::span<const Value> in) {
      return std::vector{attention(in[0], in[1], in[2], {.bias = in[4]})};
    };
    return spmd::run_on({}, inputs, attend).program;
  };
  EXPECT_EQ(count_ops(program_with({2, 1, 16, 16}), "custom-call"), 1);
  EXPECT_EQ(count_ops(program_with({2, 2, 1, 16, 16}), "custom-call"), 0);
  EXPECT_EQ(count_ops(program_with({1, 1, 16, 16}), "custom-call"), 0);
}

TEST(Attention, TakesBf16) {
  Case c{.shape = {2, 64, 64, 2, 2, 32}, .sight = Sight::causal, .dtype = bf16};
  expect_bf16_as_f32(c, 0.008);
}

TEST(Attention, RunsOnPartsOfAMesh) {
  for (Sight sight : {Sight::causal, Sight::random}) {
    Case c{.shape = {4, 24, 24, 4, 2, 16}, .sight = sight};
    Outcome parts = run_with(by_kernel, c, Mesh({{"data", 4}, {"model", 2}}));
    Outcome plain = run_with(by_formula, c, Mesh({{"data", 4}, {"model", 2}}));
    spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
    EXPECT_GE(count_ops(parts.program, "custom-call"), 2);
    EXPECT_LE(count_ops(parts.program, "all-gather"), count_ops(plain.program, "all-gather") + 4);
  }
}

TEST(Attention, SumsTheGradientOfABiasOverAMesh) {
  Case c{.shape = {8, 24, 24, 4, 2, 16}, .sight = Sight::random, .has_bias = true};
  Outcome parts = run_with(by_kernel, c, Mesh({{"data", 4}, {"model", 2}}));
  spmd::expect_all_near(parts.results, run_with(by_formula, c).results, 1e-5);
  EXPECT_GE(count_ops(parts.program, "custom-call"), 2);
}

TEST(Attention, GivesTheSameBitsEachTime) {
  Case c{.shape = {9, 100, 100, 3, 2, 24}, .sight = Sight::causal, .has_bias = true};
  Outcome first = run_with(by_kernel, c), second = run_with(by_kernel, c);
  for (std::size_t i = 0; i < first.results.size(); ++i)
    EXPECT_EQ(first.results[i].to_doubles(), second.results[i].to_doubles());
}

TEST(Attention, HasSecondDerivatives) {
  Case c{.shape = {2, 9, 12, 1, 2, 8}, .sight = Sight::random, .has_bias = true};
  auto second = [&](Attend attend) {
    return spmd::run_on({}, inputs_of(c), [&](std::span<const Value> in) {
      auto size = [&](std::span<const Value> args) {
        std::vector<Value> all(args.begin(), args.end());
        all.insert(all.end(), in.begin() + 3, in.end());
        std::vector<Value> out = results(attend, c, all);
        Value of_q = out[1], d_bias = out[4];
        return graph::reduce_sum(of_q * of_q, {0, 1, 2, 3, 4}) +
               graph::reduce_sum(d_bias * d_bias, {0, 1, 2, 3});
      };
      return autodiff::grad(size, in.first(3));
    });
  };
  spmd::expect_all_near(second(by_kernel).results, second(by_formula).results, 1e-5);
}

TEST(Attention, RefusesWhatDoesNotFit) {
  Case c{.shape = {1, 8, 8, 2, 1, 4}};
  auto with = [&](const Case& wrong) {
    auto inputs = inputs_of(c);
    inputs.push_back({mask_of(wrong.shape, wrong.sight), {}});
    return message_of([&] {
      spmd::trace_on({}, inputs, [](std::span<const Value> in) {
        return std::vector{attention(in[0], in[1], in[2], {.mask = in[4]})};
      });
    });
  };
  EXPECT_THAT(with({.shape = {1, 8, 7, 2, 1, 4}, .sight = Sight::causal}),
              HasSubstr("attention: the mask must be pred[8,8], got pred[8,7]"));
  EXPECT_THAT(message_of([&] {
                spmd::trace_on({}, inputs_of(c), [](std::span<const Value> in) {
                  return std::vector{attention(in[0], in[1], graph::cast(in[2], bf16))};
                });
              }),
              HasSubstr("attention: k and v must be f32[1,8,2,4]"));
}

}  // namespace
}  // namespace meshwright::kernels
