// SPDX-License-Identifier: Apache-2.0
// Reductions over dimensions. Negative positions count from the end.
#pragma once

#include <array>
#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// attrs: Dims, the reduced dimensions, increasing.
extern const OpDef kReduceSum, kReduceProd, kReduceMax, kReduceMin, kReduceAnd, kReduceOr;

inline constexpr std::array kReduceOps = {&kReduceSum, &kReduceProd, &kReduceMax,
                                          &kReduceMin, &kReduceAnd,  &kReduceOr};

struct ReduceOptions {
  bool keep_dims = false;  // keeps the reduced dimensions, with size 1
  /// Casts x to this dtype first; also the dtype of the result. Defaults to the dtype of x, with
  /// sums and products of f16 and bf16 accumulated in f32 and rounded once.
  std::optional<DType> out = {};
};

Value reduce_sum(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// The gradient is also correct where elements are zero.
Value reduce_prod(Value x,
                  Dims over,
                  const ReduceOptions& options = {},
                  SourceLoc loc = SourceLoc::current());
/// NaN if any element is NaN. Tied elements share the gradient equally.
Value reduce_max(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value reduce_min(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
/// Logical for booleans, bitwise for integers.
Value reduce_and(Value x,
                 Dims over,
                 const ReduceOptions& options = {},
                 SourceLoc loc = SourceLoc::current());
Value reduce_or(Value x,
                Dims over,
                const ReduceOptions& options = {},
                SourceLoc loc = SourceLoc::current());

/// Returns the position of the largest element along `dim`, which is removed. The first of tied
/// elements wins. Here and in argmin, NaN counts as the extremum.
Value argmax(Value x, std::int64_t dim, DType index = s32, SourceLoc loc = SourceLoc::current());
Value argmin(Value x, std::int64_t dim, DType index = s32, SourceLoc loc = SourceLoc::current());

/// Returns all dimensions of x, for calls such as reduce_sum(x, all_dims(x)).
Dims all_dims(const Value& x);

}  // namespace meshwright::graph
