// SPDX-License-Identifier: Apache-2.0
// Attention with segments and `causal`, compared with masks that show the same keys.
#include <functional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention_testutil.h"
#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using mesh::Mesh;
using runtime::count_ops;
using spmd::Outcome;
using ::testing::HasSubstr;

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

TEST(AttentionSegments, WorkWithPrefixes) {
  for (SegmentOf segments : {SegmentOf(nullptr), three_documents})
    expect_as_formula({.shape = kSmall, .segments = segments, .causal = true, .has_prefix = true});
}

TEST(AttentionSegments, WorkWithWindowsAndLengths) {
  expect_as_formula({.shape = kLong, .causal = true, .window = 300});
  for (std::int64_t window : {1, 64, 5000})
    expect_as_formula({.shape = kSmall, .causal = true, .window = window});
  for (SegmentOf segments : {in_disorder, one_run_twice})
    expect_as_formula({.shape = kSmall, .segments = segments, .causal = true, .window = 20});
  for (bool causal : {false, true})
    expect_as_formula(
        {.shape = kSmall, .segments = short_documents, .causal = causal, .has_lengths = true});
  expect_as_formula({.shape = kSmall, .causal = true, .has_prefix = true, .has_lengths = true});
  expect_as_formula({.shape = kLong, .causal = true, .window = 9, .has_lengths = true});
  Case c{.shape = kSmall, .causal = true, .window = 20, .has_lengths = true, .has_mask = true};
  c.has_bias = true;
  c.p = 0.75;
  expect_as_formula(c);
  expect_as_formula({.shape = {2, 90, 170, 2, 2, 12}, .has_lengths = true});
  expect_as_formula({.shape = {2, 170, 90, 2, 2, 12}, .causal = true, .window = 30});
}

TEST(AttentionSegments, WorkWithBiasesByDistance) {
  expect_as_formula({.shape = kSmall, .causal = true, .has_distance_bias = true});
  expect_as_formula({.shape = {2, 90, 170, 2, 2, 12}, .has_distance_bias = true});
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
