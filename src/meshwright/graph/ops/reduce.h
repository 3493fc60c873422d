// SPDX-License-Identifier: Apache-2.0
// Reductions over whole dimensions. Positions of dimensions that are negative count from the end.
#pragma once

#include <array>
#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: Dims, the dimensions that disappear, increasing.
extern const OpDef kReduceSum, kReduceProd, kReduceMax, kReduceMin, kReduceAnd, kReduceOr;

inline constexpr std::array kReduceOps = {&kReduceSum, &kReduceProd, &kReduceMax,
                                          &kReduceMin, &kReduceAnd,  &kReduceOr};

struct ReduceOptions {
  bool keep_dims = false;  // reduced dimensions stay with size 1
  /// The dtype x is cast to first, and so of the result. Absent: that of x, where sums and products
  /// of f16 and bf16 are taken in f32 and rounded once.
  std::optional<DType> out = {};
};

Value reduce_sum(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// Its gradient is right where elements are zero, too.
Value reduce_prod(Value x,
                  Dims over,
                  const ReduceOptions& options = {},
                  SourceLoc loc = SourceLoc::current());
/// NaN if there is one. Elements that are equally large share the gradient.
Value reduce_max(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value reduce_min(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// For booleans, or for every bit of integers.
Value reduce_and(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value reduce_or(Value x,
                Dims over,
                const ReduceOptions& options = {},
                SourceLoc loc = SourceLoc::current());

/// Where along `dim` the largest element stands: the first of several, the first NaN if there is
/// one. The dimension disappears.
Value argmax(Value x, std::int64_t dim, DType index = s32, SourceLoc loc = SourceLoc::current());
Value argmin(Value x, std::int64_t dim, DType index = s32, SourceLoc loc = SourceLoc::current());

/// All dimensions of x: reduce_sum(x, all_dims(x)).
Dims all_dims(const Value& x);

}  // namespace meshwright::graph
