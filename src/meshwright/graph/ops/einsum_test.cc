// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/einsum.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string einsum_text(EinsumSpec spec,
                        const std::vector<ArrayType>& types,
                        const DotOptions& options = {}) {
  return text_of(types, [&](std::span<const Value> args) {
    return std::vector<Value>{einsum(spec, args, options)};
  });
}

std::string einsum_error(EinsumSpec spec,
                         const std::vector<ArrayType>& types,
                         const AxisSizes& dims = {}) {
  return message_of([&] {
    trace(types,
          [&](std::span<const Value> args) {
            ModuleScope decoder("decoder");
            ModuleScope gate("w_gate");
            return std::vector<Value>{einsum(spec, args)};
          },
          {.dims = dims});
  });
}

TEST(Einsum, OfAProjectionIsOneDotWithoutTranspose) {
  std::string text = einsum_text("batch len embed, embed kv q dim -> batch len kv q dim",
                                 {{bf16, {2, 3, 5}}, {bf16, {5, 7, 11, 13}}});
  EXPECT_THAT(text, AllOf(HasSubstr("lhs_contracting_dimensions = [2], "
                                    "rhs_contracting_dimensions = [0]"),
                          HasSubstr("-> tensor<2x3x7x11x13xbf16>"), Not(HasSubstr("transpose"))));
}

TEST(Einsum, SwapsTheOperandsRatherThanTransposing) {
  std::string text =
      einsum_text("embed mlp, batch embed -> batch mlp", {{f32, {5, 7}}, {f32, {2, 5}}});
  EXPECT_THAT(text, AllOf(HasSubstr("dot_general\"(%arg1, %arg0)"), Not(HasSubstr("transpose"))));
}

TEST(Einsum, OfAttentionLogitsTransposesTheQueriesNotTheLogits) {
  std::string text = einsum_text("batch len kv q dim, batch src kv dim -> batch kv q len src",
                                 {{bf16, {2, 64, 3, 4, 8}}, {bf16, {2, 64, 3, 8}}}, {.out = f32});
  EXPECT_EQ(count(text, "stablehlo.transpose"), 1) << text;
  EXPECT_THAT(text, HasSubstr("tensor<2x64x3x4x8xbf16>) -> tensor<2x3x4x64x8xbf16>"));
  EXPECT_THAT(text, HasSubstr("-> tensor<2x3x4x64x64xf32>"));
}

TEST(Einsum, TransposesTheResultWhereBlocksInterleave) {
  std::string text = einsum_text("batch kv len src, batch src kv dim -> batch len kv dim",
                                 {{f32, {2, 3, 5, 7}}, {f32, {2, 7, 3, 11}}});
  EXPECT_EQ(count(text, "stablehlo.transpose"), 1) << text;
  EXPECT_THAT(text, HasSubstr("permutation = array<i64: 0, 2, 1, 3>"));
}

TEST(Einsum, ContractsInTheOrderOfTheLargerOperand) {
  std::string text = einsum_text("a b c, c b -> a", {{f32, {2, 3, 5}}, {f32, {5, 3}}});
  EXPECT_THAT(text, HasSubstr("lhs_contracting_dimensions = [1, 2], "
                              "rhs_contracting_dimensions = [1, 0]"));
}

TEST(Einsum, WithoutASumIsAMultiplication) {
  std::string text = einsum_text("batch embed, embed -> embed batch", {{f32, {2, 5}}, {f32, {5}}});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.multiply"), Not(HasSubstr("dot_general")),
                          HasSubstr("-> tensor<5x2xf32>")));
}

TEST(Einsum, OfOneOperandSumsAndTransposes) {
  std::string text = einsum_text("a b c -> c a", {{bf16, {2, 3, 5}}}, {.out = f32});
  EXPECT_THAT(text, AllOf(HasSubstr("-> tensor<2x5xf32>"), HasSubstr("-> tensor<5x2xf32>")));
}

TEST(Einsum, OfThreeOperandsMultipliesTheCheapestPairFirst) {
  std::string text =
      einsum_text("a b, b c, c d -> a d", {{f32, {100, 10}}, {f32, {10, 100}}, {f32, {100, 2}}});
  EXPECT_EQ(count(text, "stablehlo.dot_general"), 2);
  EXPECT_THAT(text, HasSubstr("dot_general\"(%arg1, %arg2)"));
  EXPECT_THAT(text, HasSubstr("dot_general\"(%arg0, %0)"));
}

TEST(Einsum, KeepsAnAxisThatALaterOperandNeeds) {
  std::string text =
      einsum_text("a b, a b, a b -> a", {{f32, {2, 3}}, {f32, {2, 3}}, {f32, {2, 3}}});
  EXPECT_THAT(text, HasSubstr("stablehlo.multiply"));
  EXPECT_THAT(text, HasSubstr("lhs_batching_dimensions = [0]"));
}

TEST(Einsum, RejectsAnAxisWithTwoSizes) {
  std::string message = einsum_error("batch len embed, embed mlp -> batch len mlp",
                                     {{bf16, {8, 128, 512}}, {bf16, {1024, 4096}}});
  EXPECT_THAT(message, HasSubstr("einsum: axis 'embed' is 512 in lhs bf16[8,128,512] but 1024 in "
                                 "rhs bf16[1024,4096] (decoder/w_gate, einsum_test.cc:"));
}

TEST(Einsum, RejectsASizeThatTheTableOfDimsForbids) {
  std::string message =
      einsum_error("a embed, embed -> a", {{f32, {2, 4}}, {f32, {4}}}, {{"embed", 8}});
  EXPECT_THAT(message, HasSubstr("einsum: axis 'embed' is 8 in the table of dims but 4 in lhs "
                                 "f32[2,4] (decoder/w_gate, einsum_test.cc:"));
}

TEST(Einsum, RejectsASizeThatDiffersFromAnEarlierEinsum) {
  std::string message = message_of([] {
    trace({{f32, {2, 3}}, {f32, {3, 4}}}, [](std::span<const Value> args) {
      einsum("row column -> column row", args[0]);
      return std::vector<Value>{einsum("row column -> column row", args[1])};
    });
  });
  EXPECT_THAT(message, HasSubstr("einsum: axis 'row' is 2 in operand f32[2,3] at einsum_test.cc:"));
  EXPECT_THAT(message, HasSubstr("but 3 in operand f32[3,4] (einsum_test.cc:"));
}

TEST(Einsum, AFunctionsScopeFreesTheNames) {
  trace({{f32, {2, 3}}, {f32, {3, 4}}}, [](std::span<const Value> args) {
    einsum("row column -> column row", args[0]);
    AxisScope function;
    return std::vector<Value>{einsum("row column -> column row", args[1])};
  });
}

TEST(Einsum, RejectsOperandsThatDoNotFitTheSpec) {
  EXPECT_THAT(einsum_error("a b, b c -> a c", {{f32, {2, 3}}}),
              HasSubstr("einsum: the spec has 2 inputs but there are 1 operands: 'a b, b c -> a "
                        "c' (decoder/w_gate"));
  EXPECT_THAT(einsum_error("a b, b c -> a c", {{f32, {2, 3}}, {f32, {3}}}),
              HasSubstr("einsum: rhs f32[3] has 1 dimensions but the spec names 2: 'b c'"));
  EXPECT_THAT(einsum_error("a b, b c -> a c", {{f32, {2, 3}}, {bf16, {3, 4}}}),
              HasSubstr("einsum: dtypes differ: lhs f32[2,3] and rhs bf16[3,4]; cast one of them"));
}

}  // namespace
}  // namespace meshwright::graph
