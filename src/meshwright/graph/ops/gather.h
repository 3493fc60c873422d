// SPDX-License-Identifier: Apache-2.0
// Reading elements or windows at places that an array of indices names.
#pragma once

#include <array>
#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/index_dims.h"

namespace meshwright::graph {

struct GatherOptions {
  OutOfBounds mode = OutOfBounds::fill;
  std::optional<double> fill_value;  // default: NaN; the least signed, the largest unsigned integer
  bool indices_are_sorted = false;   // a promise that may make it faster
  bool unique_indices = false;       // no two windows overlap: likewise, for the gradient
};

struct GatherAttrs {
  IndexDims dims;
  Dims slice_sizes;
  OutOfBounds mode;  // of the scatter that is the gradient; the gather itself always clips
  bool indices_are_sorted;
  bool unique_indices;
};
/// attrs: GatherAttrs.
extern const OpDef kGather;

inline constexpr std::array kGatherOps = {&kGather};

/// For every index vector the window of x that starts there, as stablehlo.gather.
Value gather(Value x,
             Value indices,
             const IndexDims& dims,
             const Dims& slice_sizes,
             GatherOptions options = {},
             SourceLoc loc = SourceLoc::current());

/// The slices of x along `dim` that the indices name; their shape stands in the place of the
/// dimension: take(table, ids) is the rows of the table. In mode `fill` an index in [-size, 0)
/// counts from the end.
Value take(Value x,
           Value indices,
           std::int64_t dim = 0,
           GatherOptions options = {},
           SourceLoc loc = SourceLoc::current());
/// out[i,j,k] = x[i,indices[i,j,k],k] for dim = 1. The arrays have the same rank; other dimensions
/// of size 1 are repeated. Except in mode `promise` an index in [-size, 0) counts from the end.
Value take_along_dim(Value x,
                     Value indices,
                     std::int64_t dim,
                     GatherOptions options = {},
                     SourceLoc loc = SourceLoc::current());
/// A new dimension at position `dim` of the result, of size num_classes: 1 where the position
/// equals the index and 0 elsewhere; all 0 for an index that is out of range.
Value one_hot(Value indices,
              std::int64_t num_classes,
              DType dtype,
              std::int64_t dim = -1,
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
