// SPDX-License-Identifier: Apache-2.0
// Gathering: reading elements or windows at positions given by an array of indices.
#pragma once

#include <array>
#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/index_dims.h"

namespace meshwright::graph {

struct GatherOptions {
  OutOfBounds mode = OutOfBounds::fill;
  std::optional<double> fill_value;  // absent: NaN, true, least signed or largest unsigned integer
  bool indices_are_sorted = false;   // a promise by the caller that may speed up the op
  bool unique_indices = false;       // a promise that no windows overlap, for the gradient
};

struct GatherAttrs {
  IndexDims dims;
  Dims slice_sizes;
  OutOfBounds mode;  // for the scatter in the gradient; the gather itself always clips
  bool indices_are_sorted;
  bool unique_indices;
};
/// attrs: GatherAttrs.
extern const OpDef kGather;

inline constexpr std::array kGatherOps = {&kGather};

/// stablehlo: gather. Returns the window of x that starts at each index vector.
Value gather(Value x,
             Value indices,
             const IndexDims& dims,
             const Dims& slice_sizes,
             GatherOptions options = {},
             SourceLoc loc = SourceLoc::current());

/// Returns the slices of x at the given indices along `dim`, which is replaced by the dimensions of
/// `indices`. For example, take(table, ids) returns rows of the table. In mode `fill`, an index in
/// [-size, 0) counts from the end.
Value take(Value x,
           Value indices,
           std::int64_t dim = 0,
           GatherOptions options = {},
           SourceLoc loc = SourceLoc::current());
/// For dim = 1, returns `out` with out[i,j,k] = x[i,indices[i,j,k],k]. Both arrays must have the
/// same rank; other dimensions of size 1 are broadcast. Except in mode `promise`, an index in
/// [-size, 0) counts from the end.
Value take_along_dim(Value x,
                     Value indices,
                     std::int64_t dim,
                     GatherOptions options = {},
                     SourceLoc loc = SourceLoc::current());
/// Adds a dimension of size num_classes at position `dim` of the result. Its elements are 1 at the
/// position of the index and 0 elsewhere; all are 0 if the index is out of range.
Value one_hot(Value indices,
              std::int64_t num_classes,
              DType dtype,
              std::int64_t dim = -1,
              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
