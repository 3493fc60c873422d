// SPDX-License-Identifier: Apache-2.0
// Ops that rearrange, join, pad or number elements. Negative positions of dimensions count from the
// end.
#pragma once

#include <array>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: Dims, the new shape.
extern const OpDef kReshape;
/// attrs: Dims, the permutation: the operand dimension for each result dimension.
extern const OpDef kTranspose;
/// attrs: Dims, the dimensions to reverse.
extern const OpDef kReverse;
/// attrs: std::int64_t, the dimension along which to join the operands.
extern const OpDef kConcatenate;

struct Padding {   // one number per dimension in each list
  Dims low, high;  // elements added before and after; negative numbers remove elements
  Dims interior;   // elements added between neighbours; if empty, none
};
/// attrs: Padding.
extern const OpDef kPad;

struct IotaAttrs {
  ArrayType type;
  std::int64_t dim;
};
/// attrs: IotaAttrs.
extern const OpDef kIota;

inline constexpr std::array kShapeOps = {&kReshape,     &kTranspose, &kReverse,
                                         &kConcatenate, &kPad,       &kIota};

/// Changes the shape and keeps the row-major order of the elements.
Value reshape(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// Permutes the dimensions: dimension i of the result is dimension `permutation[i]` of x.
Value transpose(Value x, Dims permutation, SourceLoc loc = SourceLoc::current());
/// Swaps two dimensions.
Value swap_dims(Value x, std::int64_t a, std::int64_t b, SourceLoc loc = SourceLoc::current());
/// Reverses the order of the elements along each of `dims`.
Value reverse(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// Joins the arrays along `dim`; all other dimensions must agree.
Value concatenate(std::vector<Value> parts, std::int64_t dim, SourceLoc loc = SourceLoc::current());
/// Joins arrays of the same type along a new dimension at position `dim` of the result.
Value stack(std::vector<Value> parts, std::int64_t dim, SourceLoc loc = SourceLoc::current());
/// Adds `value` around x and between its elements.
Value pad(Value x, Operand value, Padding padding);
/// Returns 0, 1, 2, ... along `dim`, repeated along all other dimensions.
Value iota(DType dtype, Dims dims, std::int64_t dim = 0, SourceLoc loc = SourceLoc::current());

/// Inserts dimensions of size 1 at these positions of the result.
Value expand_dims(Value x, Dims positions, SourceLoc loc = SourceLoc::current());
/// Removes these dimensions, whose sizes must be 1.
Value squeeze(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// Merges the dimensions first..last (inclusive) into one.
Value flatten(Value x,
              std::int64_t first = 0,
              std::int64_t last = -1,
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
