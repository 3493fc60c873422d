// SPDX-License-Identifier: Apache-2.0
// Sums of products over named axes.
#pragma once

#include <span>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {

/// einsum("batch len embed, embed mlp -> batch len mlp", x, w): the product of the operands summed
/// over the axes that the output lacks; one that stands in a single operand of several does not
/// compile. A name has one size among the operands, in the function's
/// AxisScope and in the table of dims; all operands have one dtype. `{.out = f32}` sums in f32 and
/// returns f32. Throws invalid_argument with the axis, both sizes and both arrays.
Value einsum(EinsumSpec spec,
             Value x,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());
Value einsum(EinsumSpec spec,
             Value lhs,
             Value rhs,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());
/// Any number of operands, multiplied pair by pair, the cheapest pair first.
Value einsum(EinsumSpec spec,
             std::span<const Value> operands,
             const DotOptions& options = {},
             SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
