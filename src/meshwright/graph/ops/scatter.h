// SPDX-License-Identifier: Apache-2.0
// Scattering: writing elements or windows at positions given by an array of indices.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/index_dims.h"

namespace meshwright::graph {

struct ScatterOptions {
  OutOfBounds mode = OutOfBounds::fill;
  bool indices_are_sorted = false;  // a promise by the caller that may speed up the op
  bool unique_indices = false;      // a promise that no windows overlap
};

struct ScatterAttrs {
  IndexDims dims;
  OutOfBounds mode;  // never `clip`: the functions below clip the indices first
  bool indices_are_sorted;
  bool unique_indices;
};
/// Operands: the array, the indices and the updates. attrs: ScatterAttrs.
extern const OpDef kScatter, kScatterAdd, kScatterMul, kScatterMin, kScatterMax;

inline constexpr std::array kScatterOps = {&kScatter, &kScatterAdd, &kScatterMul, &kScatterMin,
                                           &kScatterMax};

/// Returns x with the window at each index vector replaced by the corresponding window of
/// `updates`, which has the shape of gather(x, indices, dims, ...). If several updates hit the same
/// element, it is unspecified which one wins.
Value scatter(Value x,
              Value indices,
              Value updates,
              IndexDims dims,
              ScatterOptions options = {},
              SourceLoc loc = SourceLoc::current());
/// These functions combine each element with the updates that hit it by sum, product, minimum or
/// maximum.
Value scatter_add(Value x,
                  Value indices,
                  Value updates,
                  IndexDims dims,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());
/// Differentiable with respect to the updates only if unique_indices is set.
Value scatter_mul(Value x,
                  Value indices,
                  Value updates,
                  IndexDims dims,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());
Value scatter_min(Value x,
                  Value indices,
                  Value updates,
                  IndexDims dims,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());
Value scatter_max(Value x,
                  Value indices,
                  Value updates,
                  IndexDims dims,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());

/// Returns an array whose element s is the sum of data[i] over all i with ids[i] = s. `ids` may
/// have any rank; its shape must be a prefix of the shape of `data`. By default, data with an id
/// outside [0, num_segments) is ignored.
Value segment_sum(Value data,
                  Value ids,
                  std::int64_t num_segments,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
