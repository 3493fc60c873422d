// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without looking at them. Negative positions of dimensions count from the
// end.
#pragma once

#include <array>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: Dims, the new shape.
extern const OpDef kReshape;
/// attrs: Dims, for each result dimension the operand dimension it is.
extern const OpDef kTranspose;
/// attrs: Dims, the dimensions to be reversed.
extern const OpDef kReverse;
/// attrs: std::int64_t, the dimension along which the operands are joined.
extern const OpDef kConcatenate;

struct Padding {   // one number per dimension in each list
  Dims low, high;  // elements added before and after; negative numbers cut off
  Dims interior;   // elements added between two neighbours; empty: none
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

/// Changes the shape; keeps the elements in row-major order.
Value reshape(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// The dimensions in another order: result dimension i is dimension `permutation[i]` of x.
Value transpose(Value x, Dims permutation, SourceLoc loc = SourceLoc::current());
/// Two dimensions change places.
Value swap_dims(Value x, std::int64_t a, std::int64_t b, SourceLoc loc = SourceLoc::current());
/// The elements along each of `dims` in the opposite order.
Value reverse(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// The arrays one after the other along `dim`; all other dimensions must agree.
Value concatenate(std::vector<Value> parts, std::int64_t dim, SourceLoc loc = SourceLoc::current());
/// The arrays, all of one type, along a new dimension at position `dim` of the result.
Value stack(std::vector<Value> parts, std::int64_t dim, SourceLoc loc = SourceLoc::current());
/// x with `value` around it and between its elements.
Value pad(Value x, Operand value, Padding padding);
/// 0, 1, 2, ... along `dim`, the same along all other dimensions.
Value iota(DType dtype, Dims dims, std::int64_t dim = 0, SourceLoc loc = SourceLoc::current());

/// New dimensions of size 1, at these positions of the result.
Value expand_dims(Value x, Dims positions, SourceLoc loc = SourceLoc::current());
/// Without these dimensions, whose sizes must be 1.
Value squeeze(Value x, Dims dims, SourceLoc loc = SourceLoc::current());
/// The dimensions first..last as one.
Value flatten(Value x,
              std::int64_t first = 0,
              std::int64_t last = -1,
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
