// SPDX-License-Identifier: Apache-2.0
// Products of arrays summed over shared dimensions.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// How exactly an accelerator computes products of floats; on CPUs all are the same.
enum class Precision { standard, high, highest };

struct DotOptions {
  /// The dtype of sums and result; absent: that of the operands.
  std::optional<DType> out = {};
  Precision precision = Precision::standard;
};

/// Pairs of dimensions: lhs_batch[i] goes with rhs_batch[i] and stays, lhs_contract[i] goes with
/// rhs_contract[i] and is summed over.
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

/// "[#stablehlo<precision HIGH>, ...]", for both operands of a dot or convolution.
std::string precision_config(Precision precision);

/// stablehlo: dot_general. The result's dimensions: batch, then the others of lhs, then of rhs.
Value dot_general(Value lhs,
                  Value rhs,
                  DotDims dims,
                  DotOptions options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
