// SPDX-License-Identifier: Apache-2.0
// Attention without the CPU kernel: a few hundred queries at a time, compared with all scores at
// once.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention_testutil.h"
#include "meshwright/graph/placement/kernel_placement.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/runtime/runtime_testutil.h"

namespace meshwright::kernels {
namespace {

using mesh::Mesh;
using runtime::count_ops;
using spmd::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

const graph::ProgramTarget kPlainXla{.wants_kernels = false};

Outcome in_blocks(const Case& c, const Mesh& mesh = {}, const mesh::AxisRules& rules = {}) {
  return run_with(kKernel, c, mesh, rules, kPlainXla);
}

void expect_as_formula(const Case& c) {
  const Outcome blocks = in_blocks(c), formula = run_with(kFormula, c);
  EXPECT_EQ(count_ops(blocks.program, "custom-call"), 0);
  spmd::expect_all_near(blocks.results, formula.results, 1e-5);
}

// One block; one and a rest; a loop and a rest.
constexpr Shape kOne{2, 100, 100, 2, 1, 16}, kTwo{2, 700, 700, 1, 2, 8},
    kSome{1, 1600, 1600, 1, 1, 8};

TEST(AttentionBlocks, AreTheFormulaWithEveryCondition) {
  for (const Shape& shape : {kOne, kTwo}) {
    expect_as_formula({.shape = shape});
    expect_as_formula({.shape = shape, .causal = true});
    expect_as_formula({.shape = shape, .causal = true, .has_prefix = true});
    expect_as_formula({.shape = shape, .has_mask = true});
    expect_as_formula({.shape = shape, .causal = true, .has_mask = true, .has_bias = true});
    expect_as_formula({.shape = shape, .causal = true, .has_bias = true});
    expect_as_formula({.shape = shape, .has_distance_bias = true});
    expect_as_formula({.shape = shape, .causal = true, .has_distance_bias = true});
    for (SegmentOf segments : {three_documents, in_disorder})
      for (bool causal : {false, true})
        expect_as_formula({.shape = shape, .segments = segments, .causal = causal});
  }
}

TEST(AttentionBlocks, AreTheFormulaWithWindowsAndLengths) {
  for (std::int64_t window : {1, 650, 5000})
    expect_as_formula({.shape = kTwo, .causal = true, .window = window});
  expect_as_formula({.shape = kTwo, .segments = three_documents, .causal = true, .window = 20});
  expect_as_formula({.shape = kOne, .segments = in_disorder, .causal = true, .window = 20});
  expect_as_formula({.shape = kTwo, .causal = true, .window = 50, .has_bias = true});
  expect_as_formula({.shape = kTwo, .causal = true, .window = 50, .has_distance_bias = true});
  expect_as_formula({.shape = kOne, .causal = true, .window = 50, .has_mask = true});
  for (bool causal : {false, true})
    expect_as_formula({.shape = kTwo, .causal = causal, .has_lengths = true});
  expect_as_formula({.shape = kOne, .has_lengths = true, .has_distance_bias = true});
  expect_as_formula({.shape = kOne, .causal = true, .has_prefix = true, .has_lengths = true});
  // Queries far behind the last key see nothing.
  expect_as_formula({.shape = kTwo, .causal = true, .window = 9, .has_lengths = true});
}

TEST(AttentionBlocks, AreTheFormulaInALoop) {
  expect_as_formula({.shape = kSome, .segments = three_documents, .has_mask = true});
  expect_as_formula({.shape = kSome, .has_distance_bias = true});
}

// More blocks than groups, whose loops have one or two blocks.
TEST(AttentionBlocks, AreTheFormulaInLongRows) {
  expect_as_formula({.shape = {1, 4700, 4700, 1, 1, 4}, .segments = one_run_twice, .causal = true});
  expect_as_formula({.shape = {1, 2700, 2700, 1, 1, 4}, .causal = true, .window = 300});
}

TEST(AttentionBlocks, TakeOtherNumbersOfKeys) {
  for (bool causal : {false, true}) {
    expect_as_formula({.shape = {1, 600, 90, 2, 2, 8}, .causal = causal});
    expect_as_formula({.shape = {1, 90, 600, 2, 2, 8}, .causal = causal});
    expect_as_formula(
        {.shape = {1, 600, 90, 2, 2, 8}, .causal = causal, .has_distance_bias = true});
  }
}

// Such queries get the mean of all values.
TEST(AttentionBlocks, TakeQueriesThatSeeNothing) {
  Case c{.shape = kTwo, .segments = short_documents, .key_segments = far_ahead};
  expect_as_formula(c);
  c.causal = true;
  expect_as_formula(c);
}

TEST(AttentionBlocks, InBf16AreCloseToF32) {
  Case c{.shape = kTwo, .segments = three_documents, .causal = true, .dtype = bf16};
  Case exact = c;
  exact.dtype = f32;
  const std::vector<Input> inputs = spmd::rounded_to_bf16(inputs_of(c));
  const auto run = [&](Form form, const Case& which) {
    return spmd::run_on(
        {}, inputs, [&](std::span<const Value> in) { return results(form, which, in); }, {},
        kPlainXla);
  };
  spmd::expect_near_the_largest(run(kKernel, c).results, run(kFormula, exact).results, 0.01);
}

TEST(AttentionBlocks, RunOnPartsOfAMesh) {
  const Case c{.shape = {4, 600, 600, 4, 2, 8}, .segments = three_documents, .causal = true};
  const mesh::AxisRules rules = {{"batch", {"data"}}, {"kv", {"model"}}};
  const Outcome parts = in_blocks(c, Mesh({{"data", 4}, {"model", 2}}), rules);
  spmd::expect_all_near(parts.results, run_with(kFormula, c).results, 1e-5);
}

// The text of the program, in which every array has its type.
std::string text_of(Form form, const Case& c) {
  const graph::Program program = spmd::trace_on(
      {}, inputs_of(c), [&](std::span<const Value> in) { return results(form, c, in); }, {},
      kPlainXla);
  return write_stablehlo(place_kernels(program, "cuda"));
}

TEST(AttentionBlocks, NeverStoreAScoreForEveryQueryAndKey) {
  Case c{.shape = {1, 1504, 1504, 1, 1, 8}, .segments = three_documents, .causal = true};
  EXPECT_THAT(text_of(kFormula, c), HasSubstr("1x1x1x1504x1504xf32"));
  EXPECT_THAT(text_of(kKernel, c), Not(HasSubstr("1x1x1x1504x1504xf32")));
  c.segments = nullptr;
  EXPECT_THAT(text_of(kKernel, c), Not(HasSubstr("1x1x1x1504x1504")));
}

TEST(AttentionBlocks, SkipKeysBeforeAWindow) {
  const Case c{.shape = {1, 2048, 2048, 1, 1, 8}, .causal = true, .window = 64};
  EXPECT_THAT(text_of(kKernel, c), HasSubstr("1x1x1x512x575xf32"));
  EXPECT_THAT(text_of(kKernel, c), Not(HasSubstr("x512x2048xf32")));
}

}  // namespace
}  // namespace meshwright::kernels
