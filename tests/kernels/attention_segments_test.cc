// SPDX-License-Identifier: Apache-2.0
// Attention with segments and `causal`, compared with masks that show the same keys.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_testutil.h"
#include "meshwright/autodiff/grad.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/kernels/attention/attention.h"
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

/// Returns the segment of position i in a row.
using SegmentOf = std::int64_t (*)(std::int64_t row, std::int64_t i);

std::int64_t three_documents(std::int64_t row, std::int64_t i) {
  return i < 17 + row ? 1 : i < 40 ? 2 : i < 90 ? 3 : 0;
}
std::int64_t short_documents(std::int64_t row, std::int64_t i) {
  return 1 + i / (3 + row);
}
std::int64_t single_tokens(std::int64_t, std::int64_t i) {
  return i;
}
std::int64_t in_disorder(std::int64_t row, std::int64_t i) {
  return (i * i + 3 * row) % 7 - 2;
}
std::int64_t padding(std::int64_t, std::int64_t) {
  return 0;
}
std::int64_t one_run_twice(std::int64_t, std::int64_t i) {
  return i < 60 || i > 150 ? 5 : 9;
}
// Most of the queries have no key.
std::int64_t far_ahead(std::int64_t, std::int64_t i) {
  return i + 30;
}

struct Case {
  Shape shape;
  SegmentOf segments = nullptr;
  SegmentOf key_segments = nullptr;  ///< null: those of the queries
  bool causal = false;
  bool has_mask = false, has_bias = false;
  double p = 1;  ///< less than 1: keep probability of dropout
  DType dtype = f32;
};

HostTensor segments_of(SegmentOf segment, std::int64_t batch, std::int64_t len) {
  HostTensor out({s32, {batch, len}});
  auto values = out.mutable_values<std::int32_t>();
  for (std::int64_t i = 0; i < batch * len; ++i)
    values[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(segment(i / len, i % len));
  return out;
}

bool mask_at(std::int64_t row, std::int64_t query, std::int64_t key) {
  return (row * 5 + query * 7 + key * 13) % 5 < 3;
}

/// Returns a mask [batch, len, src] by a rule of batch row, query and key.
template <typename Rule>
HostTensor mask_of(const Shape& s, const Rule& is_seen) {
  HostTensor mask({pred, {s.batch, s.len, s.src}});
  auto* byte = reinterpret_cast<std::uint8_t*>(mask.mutable_data());
  for (std::int64_t b = 0; b < s.batch; ++b)
    for (std::int64_t i = 0; i < s.len; ++i)
      for (std::int64_t j = 0; j < s.src; ++j)
        *byte++ = is_seen(b, i, j) ? 1 : 0;
  return mask;
}

HostTensor all_conditions(const Case& c) {
  const SegmentOf keys = c.key_segments == nullptr ? c.segments : c.key_segments;
  return mask_of(c.shape, [&](std::int64_t b, std::int64_t i, std::int64_t j) {
    return (!c.causal || j <= i) && (c.segments == nullptr || c.segments(b, i) == keys(b, j)) &&
           (!c.has_mask || mask_at(b, i, j));
  });
}

/// q, k, v, weights of the result, bias, all conditions as a mask, the case's own mask, segments of
/// queries and of keys.
std::vector<Input> inputs_of(const Case& c, const mesh::Sharding& lies = {}) {
  const Shape& s = c.shape;
  const SegmentOf of_queries = c.segments == nullptr ? padding : c.segments;
  return {
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 1), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 2), lies},
      {spmd::random_array({s.batch, s.src, s.kv, s.dim}, 3), lies},
      {spmd::random_array({s.batch, s.len, s.kv, s.q, s.dim}, 4), lies},
      {spmd::random_array({s.kv, s.q, s.len, s.src}, 5), {}},
      {all_conditions(c), lies},
      {mask_of(s, mask_at), lies},
      {segments_of(of_queries, s.batch, s.len), lies},
      {segments_of(c.key_segments == nullptr ? of_queries : c.key_segments, s.batch, s.src), lies}};
}

struct Form {
  bool is_formula = false;
  bool by_mask = false;  ///< the conditions as a mask
};
constexpr Form kKernel{}, kMask{.by_mask = true}, kFormula{.is_formula = true, .by_mask = true};

Value attended(Form form, const Case& c, std::span<const Value> of, std::span<const Value> in) {
  AttentionOptions options{.bias = c.has_bias ? of[3] : Value()};
  if (c.p < 1) options.dropout = Drawing{graph::random::key(11), c.p};
  if (form.by_mask) {
    options.mask = in[5];
  } else {
    options.causal = c.causal;
    if (c.has_mask) options.mask = in[6];
    if (c.segments != nullptr) options.segments = in[7];
    if (c.key_segments != nullptr) options.key_segments = in[8];
  }
  if (!form.is_formula) return graph::cast(attention(of[0], of[1], of[2], options), f32);
  Value probs = attention_probabilities(of[0], of[1], options.mask, options.bias);
  if (options.dropout) probs = dropout(probs, *options.dropout);
  return graph::cast(weighted_values(probs, of[2]), f32);
}

/// Returns the result and, weighted with the fourth input, the gradients of q, k, v and the bias.
std::vector<Value> results(Form form, const Case& c, std::span<const Value> in) {
  std::vector<Value> of = {graph::cast(in[0], c.dtype), graph::cast(in[1], c.dtype),
                           graph::cast(in[2], c.dtype)};
  if (c.has_bias) of.push_back(in[4]);
  std::vector<Value> out = {attended(form, c, of, in)};
  auto loss = [&](std::span<const Value> args) {
    return graph::reduce_sum(attended(form, c, args, in) * in[3], {0, 1, 2, 3, 4});
  };
  for (Value gradient : autodiff::grad(loss, of))
    out.push_back(graph::cast(gradient, f32));
  return out;
}

void expect_as_formula(const Case& c) {
  const Outcome kernel = run_with(kKernel, c), formula = run_with(kFormula, c);
  EXPECT_GE(count_ops(kernel.program, "custom-call"), 2);
  spmd::expect_all_near(kernel.results, formula.results, 1e-5);
}

constexpr Shape kSmall{2, 100, 100, 2, 1, 16}, kLong{2, 700, 700, 1, 2, 24};

TEST(AttentionSegments, AreTheMaskTheyStandFor) {
  for (SegmentOf segments : {three_documents, short_documents, single_tokens, in_disorder, padding})
    for (bool causal : {false, true})
      expect_as_formula({.shape = kSmall, .segments = segments, .causal = causal});
  for (SegmentOf segments : {three_documents, one_run_twice})
    expect_as_formula({.shape = kLong, .segments = segments, .causal = true});
  expect_as_formula({.shape = kLong, .segments = one_run_twice});
  expect_as_formula({.shape = kSmall, .causal = true});
  expect_as_formula({.shape = kLong, .causal = true});
  expect_as_formula({.shape = {1, 2100, 2100, 1, 1, 8}, .segments = one_run_twice, .causal = true});
}

TEST(AttentionSegments, OfKeysMayDiffer) {
  for (SegmentOf keys : {three_documents, in_disorder, far_ahead}) {
    Case c{.shape = {2, 90, 170, 2, 2, 12}, .segments = short_documents, .key_segments = keys};
    expect_as_formula(c);
    c.causal = true;
    expect_as_formula(c);
    std::swap(c.shape.len, c.shape.src);
    expect_as_formula(c);
  }
  expect_as_formula({.shape = {2, 9, 170, 2, 2, 12}, .causal = true});
  expect_as_formula({.shape = {2, 170, 9, 2, 2, 12}, .causal = true});
}

TEST(AttentionSegments, WorkWithMasksBiasesAndDropout) {
  for (SegmentOf segments : {three_documents, in_disorder}) {
    Case c{.shape = {2, 130, 130, 2, 2, 16}, .segments = segments, .causal = true};
    c.has_mask = true;
    expect_as_formula(c);
    c.has_bias = true;
    c.p = 0.75;
    expect_as_formula(c);
    c.has_mask = false;
    c.causal = false;
    expect_as_formula(c);
  }
  expect_as_formula({.shape = kSmall, .causal = true, .has_mask = true, .has_bias = true, .p = .5});
}

std::vector<std::vector<double>> values_of(const Outcome& outcome) {
  std::vector<std::vector<double>> out;
  for (const HostTensor& result : outcome.results)
    out.push_back(result.to_doubles());
  return out;
}

TEST(AttentionSegments, CausalHasTheBitsOfTheMask) {
  for (DType dtype : {f32, bf16}) {
    for (bool has_bias : {false, true}) {
      for (const Shape& shape : {kSmall, kLong, Shape{1, 2100, 2100, 1, 1, 8}}) {
        const Case c{.shape = shape, .causal = true, .has_bias = has_bias, .dtype = dtype};
        EXPECT_EQ(values_of(run_with(kKernel, c)), values_of(run_with(kMask, c)));
      }
    }
  }
}

TEST(AttentionSegments, InBf16AreCloseToF32) {
  Case c{.shape = kLong, .segments = three_documents, .causal = true, .dtype = bf16};
  Case exact = c;
  exact.dtype = f32;
  const auto [ours, formula] = run_in_bf16_and_f32(kKernel, kFormula, c, exact);
  spmd::expect_near_the_largest(ours.results, formula.results, 0.008);
}

TEST(AttentionSegments, RunOnPartsOfAMesh) {
  Case c{.shape = {4, 100, 100, 4, 2, 16}, .segments = three_documents, .causal = true};
  const mesh::AxisRules rules = {{"batch", {"data"}}, {"kv", {"model"}}};
  for (SegmentOf keys : {SegmentOf(nullptr), SegmentOf(short_documents)}) {
    c.key_segments = keys;
    const Outcome parts = run_with(kKernel, c, Mesh({{"data", 4}, {"model", 2}}), rules);
    EXPECT_GE(count_ops(parts.program, "custom-call"), 2);
    spmd::expect_all_near(parts.results, run_with(kFormula, c).results, 1e-5);
  }
}

TEST(AttentionSegments, KeepsDocumentsApartExactly) {
  Case c{.shape = kSmall, .segments = three_documents, .causal = true};
  auto gradients = [&](std::span<const Value> in) {
    auto loss = [&](std::span<const Value> args) {
      Value of_first = graph::cast(graph::equal(in[7], 1), f32);
      Value each = graph::reduce_sum(attended(kKernel, c, args, in) * in[3], {2, 3, 4});
      return graph::reduce_sum(each * of_first, {0, 1});
    };
    return autodiff::grad(loss, in.first(3));
  };
  const Outcome outcome = spmd::run_on({}, inputs_of(c), gradients);
  for (const HostTensor& gradient : outcome.results) {
    const std::vector<double> values = gradient.to_doubles();
    const std::int64_t size = std::ssize(values) / (c.shape.batch * c.shape.len);
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
      const std::int64_t row = i / size / c.shape.len, at = i / size % c.shape.len;
      if (three_documents(row, at) != 1) {
        EXPECT_EQ(values[static_cast<std::size_t>(i)], 0);
      }
    }
  }
}

TEST(AttentionSegments, FewQueriesUseTheFormula) {
  const Case c{.shape = {2, 5, 5, 2, 1, 8}, .segments = short_documents, .causal = true};
  const Outcome few = run_with(kKernel, c);
  EXPECT_EQ(count_ops(few.program, "custom-call"), 0);
  spmd::expect_all_near(few.results, run_with(kFormula, c).results, 1e-6);
}

TEST(AttentionSegments, MustFitQueriesAndKeys) {
  const Case c{.shape = {1, 8, 12, 2, 1, 4}, .segments = padding, .key_segments = padding};
  auto message = [&](const std::function<AttentionOptions(std::span<const Value>)>& options) {
    return message_of([&] {
      spmd::trace_on({}, inputs_of(c), [&](std::span<const Value> in) {
        return std::vector{attention(in[0], in[1], in[2], options(in))};
      });
    });
  };
  auto swapped = [](std::span<const Value> in) {
    return AttentionOptions{.segments = in[8], .key_segments = in[7]};
  };
  EXPECT_THAT(message(swapped), HasSubstr("the segments must be s32[1,8], got s32[1,12]"));
  auto of_queries = [](std::span<const Value> in) { return AttentionOptions{.segments = in[7]}; };
  EXPECT_THAT(message(of_queries), HasSubstr("8 queries and 12 keys need segments each"));
  auto of_keys = [](std::span<const Value> in) { return AttentionOptions{.key_segments = in[8]}; };
  EXPECT_THAT(message(of_keys), HasSubstr("segments of keys need segments of queries"));
}

}  // namespace
}  // namespace meshwright::kernels
