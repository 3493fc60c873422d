// SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN on a GPU, compared with the formula in f32 on the CPU.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attention_testutil.h"
#include "meshwright/base/str.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using spmd::Outcome;

// The optimized program is binary, so it must not be printed.
int num_calls(const Outcome& outcome) {
  const std::string program = outcome.program.optimized_program();
  int out = 0;
  for (std::size_t at = 0; (at = program.find("__cudnn$fmhaSoftmax", at)) != program.npos; ++at)
    ++out;
  return out;
}

class FusedAttention : public ::testing::Test {
 protected:
  void SetUp() override {
    if (runtime::test_gpu() == nullptr) GTEST_SKIP() << "no GPU here";
  }

  static graph::ProgramTarget gpu() {
    return {.platform = "cuda",
            .compute_capability = runtime::test_gpu()->devices().front().compute_capability};
  }

  // In bf16 on the GPU, with the operands of exact().
  static Outcome run(const Case& c) {
    return spmd::run_on(
        {}, operands(c), [&](std::span<const Value> in) { return results(kKernel, c, in); }, {},
        gpu());
  }

  static Outcome exact(Case c) {
    c.dtype = f32;
    return spmd::run_on({}, operands(c),
                        [&](std::span<const Value> in) { return results(kFormula, c, in); });
  }

  static std::vector<Input> operands(const Case& c) { return spmd::rounded_to_bf16(inputs_of(c)); }

  static void expect_fused(Case c) {
    c.dtype = bf16;
    SCOPED_TRACE(describe(c));
    const Outcome found = run(c);
    EXPECT_GE(num_calls(found), 2);
    spmd::expect_near_the_largest(found.results, exact(c).results, kTolerance);
  }

  static void expect_formula(Case c) {
    c.dtype = bf16;
    SCOPED_TRACE(describe(c));
    const Outcome found = run(c);
    EXPECT_EQ(num_calls(found), 0);
    spmd::expect_near_the_largest(found.results, exact(c).results, kTolerance);
  }

 private:
  // bf16 has 8 bits; probabilities and results are rounded to it.
  static constexpr double kTolerance = 0.02;

  static std::string describe(const Case& c) {
    const Shape& s = c.shape;
    return str("batch ", s.batch, ", queries ", s.len, ", keys ", s.src, ", heads ", s.kv, "x", s.q,
               "x", s.dim, c.causal ? ", causal" : "", ", window ", c.window,
               c.has_lengths ? ", lengths" : "", c.has_bias ? ", bias" : "",
               c.segments != nullptr ? ", documents" : "");
  }
};

constexpr Shape kSquare{2, 128, 128, 2, 1, 64}, kGrouped{2, 256, 256, 2, 4, 64},
    kWide{1, 200, 200, 2, 2, 128}, kOdd{2, 129, 77, 3, 1, 40};

TEST_F(FusedAttention, IsTheFormula) {
  for (const Shape& shape : {kSquare, kGrouped, kWide, kOdd})
    for (const bool causal : {false, true})
      expect_fused({.shape = shape, .causal = causal});
}

TEST_F(FusedAttention, HasLongRows) {
  expect_fused({.shape = {1, 2048, 2048, 1, 4, 128}, .causal = true});
  expect_fused({.shape = {1, 1000, 1500, 2, 1, 64}});
}

TEST_F(FusedAttention, TakesWindows) {
  for (const std::int64_t window : {1, 20, 5000})
    expect_fused({.shape = kGrouped, .causal = true, .window = window});
}

TEST_F(FusedAttention, TakesLengths) {
  for (const bool causal : {false, true})
    expect_fused({.shape = kSquare, .causal = causal, .has_lengths = true});
  expect_fused({.shape = {4, 96, 160, 2, 1, 64}, .has_lengths = true});
}

TEST_F(FusedAttention, TakesBiases) {
  for (const bool causal : {false, true})
    expect_fused({.shape = kSquare, .causal = causal, .has_bias = true});
  expect_fused({.shape = {2, 128, 96, 4, 1, 64}, .has_bias = true});
}

TEST_F(FusedAttention, TakesDocuments) {
  for (const SegmentOf segments : {three_documents, padding})
    expect_fused({.shape = kGrouped, .segments = segments, .causal = true});
  expect_fused({.shape = kSquare, .segments = three_documents});
}

// The program decides when it runs.
TEST_F(FusedAttention, LeavesOtherDocumentsToBlocks) {
  for (const SegmentOf segments : {in_disorder, single_tokens, short_documents})
    expect_fused({.shape = kSquare, .segments = segments, .causal = true});
}

TEST_F(FusedAttention, LeavesTheRestToTheFormula) {
  expect_formula({.shape = kSquare, .causal = true, .p = 0.75});
  expect_formula({.shape = kSquare, .causal = true, .has_prefix = true});
  expect_formula({.shape = kSquare, .has_mask = true});
  expect_formula({.shape = kSquare, .has_distance_bias = true});
}

TEST_F(FusedAttention, HasTheSameBitsEachTime) {
  for (const SegmentOf segments : {SegmentOf(nullptr), SegmentOf(three_documents)}) {
    const Case c{.shape = kGrouped, .segments = segments, .causal = true, .dtype = bf16};
    const Outcome first = run(c), second = run(c);
    for (std::size_t i = 0; i < first.results.size(); ++i)
      EXPECT_EQ(first.results[i].to_doubles(), second.results[i].to_doubles()) << "result " << i;
  }
}

}  // namespace
}  // namespace meshwright::kernels
