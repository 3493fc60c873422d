// SPDX-License-Identifier: Apache-2.0
// Contraction over named axes.
#pragma once

#include <span>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {

/// Multiplies the operands and sums over the axes that the output lacks, as in einsum("batch len
/// embed, embed mlp -> batch len mlp", x, w). If there are several operands, a summed axis that
/// occurs in only one of them is a compile-time error. All operands must have the same dtype;
/// `{.out = f32}` accumulates in f32 and returns f32. Throws invalid_argument,
/// naming the axis, both sizes and both arrays, unless each name has the same size in all operands,
/// in the function's AxisScope and in the table of dims.
Value einsum(EinsumSpec spec,
             Value x,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());
Value einsum(EinsumSpec spec,
             Value lhs,
             Value rhs,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());
/// For any number of operands: multiplies them pairwise, always the cheapest pair next.
Value einsum(EinsumSpec spec,
             std::span<const Value> operands,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
