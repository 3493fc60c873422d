// SPDX-License-Identifier: Apache-2.0
// Matrix products and their generalization: contraction over pairs of dimensions.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// How accurately an accelerator multiplies floats. Makes no difference on CPUs.
enum class Precision { standard, high, highest };

struct DotOptions {
  /// The dtype of the accumulator and the result. Defaults to the operands' dtype.
  std::optional<DType> out = {};
  Precision precision = Precision::standard;
};

/// Pairs of dimensions: lhs_batch[i] matches rhs_batch[i] and is kept; lhs_contract[i] matches
/// rhs_contract[i], and the pair is summed over.
struct DotDims {
  Dims lhs_batch, rhs_batch, lhs_contract, rhs_contract;
};

struct DotAttrs {
  DotDims dims;
  DType out = DType::f32;
  Precision precision = Precision::standard;
};
/// attrs: DotAttrs.
extern const OpDef kDotGeneral;

inline constexpr std::array kDotOps = {&kDotGeneral};

/// Returns the attribute for both operands of a dot or convolution, such as "[#stablehlo<precision
/// HIGH>, #stablehlo<precision HIGH>]".
std::string precision_config(Precision precision);

/// stablehlo: dot_general. The result has the batch dimensions, followed by the free dimensions of
/// lhs and then those of rhs.
Value dot_general(Value lhs,
                  Value rhs,
                  DotDims dims,
                  DotOptions options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
