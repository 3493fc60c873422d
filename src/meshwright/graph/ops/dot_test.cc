// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/ops/dot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/core/graph_testutil.h"

namespace meshwright::graph {
namespace {

using testing::HasSubstr;

const ArrayType kLhs{bf16, {2, 3, 5, 7}};
const ArrayType kRhs{bf16, {7, 2, 11}};
// batch 2, contracted 7, free 3, 5 and 11
const DotDims kDims{.lhs_batch = {0}, .rhs_batch = {1}, .lhs_contract = {3}, .rhs_contract = {0}};

std::string dot_text(const DotOptions& options) {
  return text_of({kLhs, kRhs}, [&](std::span<const Value> args) {
    return std::vector<Value>{dot_general(args[0], args[1], kDims, options)};
  });
}

std::string dot_error(const ArrayType& lhs,
                      const ArrayType& rhs,
                      const DotDims& dims,
                      const DotOptions& options = {}) {
  return message_of([&] {
    trace({lhs, rhs}, [&](std::span<const Value> args) {
      return std::vector<Value>{dot_general(args[0], args[1], dims, options)};
    });
  });
}

TEST(DotGeneral, WritesDimensionNumbersAndPrecision) {
  EXPECT_THAT(
      dot_text({.out = f32, .precision = Precision::highest}),
      HasSubstr("\"stablehlo.dot_general\"(%arg0, %arg1) <{dot_dimension_numbers = "
                "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
                "lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [0]>, "
                "precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision "
                "HIGHEST>]}> : (tensor<2x3x5x7xbf16>, tensor<7x2x11xbf16>) -> "
                "tensor<2x3x5x11xf32>"));
}

TEST(DotGeneral, KeepsTheDtypeUnlessAsked) {
  EXPECT_THAT(dot_text({}), HasSubstr("-> tensor<2x3x5x11xbf16>\n"));
  EXPECT_THAT(dot_text({}), HasSubstr("precision DEFAULT"));
}

TEST(DotGeneral, RejectsDimensionsThatDoNotPair) {
  EXPECT_THAT(
      dot_error(kLhs, kRhs, {.lhs_contract = {3}}),
      HasSubstr("dot_general: contracted dimensions [3] of lhs and [] of rhs differ in number"));
  EXPECT_THAT(dot_error(kLhs, kRhs, {.lhs_batch = {0, 1}, .rhs_batch = {1}}),
              HasSubstr("batch dimensions [0,1] of lhs and [1] of rhs differ in number"));
  EXPECT_THAT(dot_error(kLhs, kRhs, {.lhs_contract = {2}, .rhs_contract = {0}}),
              HasSubstr("contracted dimension 2 of lhs bf16[2,3,5,7] is 5 but dimension 0 of rhs "
                        "bf16[7,2,11] is 7"));
  EXPECT_THAT(dot_error(kLhs, kRhs, {.lhs_batch = {1}, .rhs_batch = {1}}),
              HasSubstr("batch dimension 1 of lhs bf16[2,3,5,7] is 3"));
}

TEST(DotGeneral, RejectsDimensionsThatAreNotThereOrTwice) {
  EXPECT_THAT(dot_error(kLhs, kRhs, {.lhs_contract = {4}, .rhs_contract = {0}}),
              HasSubstr("there is no dimension 4 in lhs bf16[2,3,5,7]"));
  EXPECT_THAT(dot_error(kLhs, kRhs, {.lhs_contract = {3}, .rhs_contract = {-1}}),
              HasSubstr("there is no dimension -1 in rhs bf16[7,2,11]"));
  DotDims twice{.lhs_batch = {0}, .rhs_batch = {1}, .lhs_contract = {0}, .rhs_contract = {1}};
  EXPECT_THAT(dot_error(kLhs, kRhs, twice),
              HasSubstr("dimension 0 of lhs bf16[2,3,5,7] is named twice"));
}

TEST(DotGeneral, RejectsDtypesThatDoNotFit) {
  EXPECT_THAT(dot_error({f32, kLhs.dims}, kRhs, kDims),
              HasSubstr("dtypes differ: lhs f32[2,3,5,7] and rhs bf16[7,2,11]; cast one of them"));
  EXPECT_THAT(dot_error(kLhs, kRhs, kDims, {.out = s32}),
              HasSubstr("products of bf16 cannot be summed in s32"));
  EXPECT_THAT(dot_error({pred, kLhs.dims}, {pred, kRhs.dims}, kDims), HasSubstr("expects numbers"));
}

}  // namespace
}  // namespace meshwright::graph
