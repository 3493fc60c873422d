// SPDX-License-Identifier: Apache-2.0
// Writing elements or windows at places that an array of indices names.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/graph/ops/index_dims.h"

namespace meshwright::graph {

struct ScatterOptions {
  OutOfBounds mode = OutOfBounds::fill;
  bool indices_are_sorted = false;  // a promise that may make it faster
  bool unique_indices = false;      // likewise: no two windows overlap
};

struct ScatterAttrs {
  IndexDims dims;
  OutOfBounds mode;  // never `clip`: the builders move the indices themselves
  bool indices_are_sorted;
  bool unique_indices;
};
/// Operands: the array, the indices, the updates. attrs: ScatterAttrs.
extern const OpDef kScatter, kScatterAdd, kScatterMul, kScatterMin, kScatterMax;

inline constexpr std::array kScatterOps = {&kScatter, &kScatterAdd, &kScatterMul, &kScatterMin,
                                           &kScatterMax};

/// Returns x with the window at every index vector replaced by the update at the same position of
/// `updates`, which have the shape of gather(x, indices, dims, ...). If several updates hit one
/// element, an unspecified one wins.
Value scatter(Value x,
              Value indices,
              Value updates,
              IndexDims dims,
              ScatterOptions options = {},
              SourceLoc loc = SourceLoc::current());
/// x plus the updates; times them; the least or the largest of both.
Value scatter_add(Value x,
                  Value indices,
                  Value updates,
                  IndexDims dims,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());
/// Differentiable in the updates only with unique_indices.
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

/// out[s] = the sum of data[i] over all i with ids[i] = s; `ids` may have any rank, its dimensions
/// are the first ones of data. Data with an id outside of [0, num_segments) is left out.
Value segment_sum(Value data,
                  Value ids,
                  std::int64_t num_segments,
                  ScatterOptions options = {},
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
