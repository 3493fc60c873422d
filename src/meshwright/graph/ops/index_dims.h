// SPDX-License-Identifier: Apache-2.0
// Shared by gather and scatter: how an array of indices addresses windows of another array.
#pragma once

#include <string>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// StableHLO's dimension numbers of gather. Scatter takes the same ones: it writes where the gather
/// would read, with the updates in the place of the gathered result.
struct IndexDims {
  Dims offset_dims;                   // of the result: those that run along a window
  Dims collapsed_slice_dims;          // of the array: windows have size 1 and are without them
  Dims operand_batching_dims;         // of the array: those that go together with ...
  Dims start_indices_batching_dims;   // ... these of the indices, one by one
  Dims start_index_map;               // the dimensions of the array that an index vector addresses
  std::int64_t index_vector_dim = 0;  // of the indices; their rank: each index is a scalar
};

/// For an array and indices of equal rank: each index selects an element of its line along `dim`.
IndexDims along_dim(int rank, std::int64_t dim);

/// How windows that exceed the array are treated.
enum class OutOfBounds {
  fill,    // gather: all of its elements are the fill value; scatter: it is dropped
  clip,    // the window moves to the nearest place inside
  promise  // there is none; if there is, the result is unspecified
};

/// The number of elements of an index vector.
std::int64_t num_index_components(const ArrayType& indices, const IndexDims& dims);
/// Component i of all index vectors, without index_vector_dim.
Value index_component(Value indices, const IndexDims& dims, std::int64_t i, SourceLoc loc);
/// The shape of the result: that of the indices without index_vector_dim, and the windows.
Dims gathered_dims(const ArrayType& indices, const IndexDims& dims, const Dims& slice_sizes);
/// The window of a scatter with updates of this shape.
Dims window_sizes(const ArrayType& operand, const IndexDims& dims, const Dims& update_dims);
/// For a window along dimension start_index_map[i]: the last place where it fits.
std::int64_t last_start(const ArrayType& operand,
                        const IndexDims& dims,
                        const Dims& slice_sizes,
                        std::int64_t i);
/// True if this integer type can represent every number up to `limit`.
bool holds(DType dtype, std::int64_t limit);

/// The indices moved so that every window lies inside.
Value clip_indices(Value indices,
                   const ArrayType& operand,
                   const IndexDims& dims,
                   const Dims& slice_sizes,
                   SourceLoc loc);
/// For each window whether it lies inside; of the shape of the indices without index_vector_dim.
/// Empty if the dtype of the indices cannot name a place outside.
Value windows_inside(Value indices,
                     const ArrayType& operand,
                     const IndexDims& dims,
                     const Dims& slice_sizes,
                     SourceLoc loc);

/// Rejects dimension numbers that contradict each other, the array or the indices. `result_rank` is
/// that of the gathered result or of the updates.
void check_index_dims(const Node& node,
                      const Type& operand,
                      const Type& indices,
                      const IndexDims& dims,
                      int result_rank);
/// Rejects windows that do not fit the array.
void check_window(const Node& node,
                  const Type& operand,
                  const IndexDims& dims,
                  const Dims& slice_sizes);

}  // namespace meshwright::graph
