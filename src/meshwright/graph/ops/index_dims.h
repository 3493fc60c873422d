// SPDX-License-Identifier: Apache-2.0
// How an array of indices addresses windows of another array; shared by gather and scatter.
#pragma once

#include <string>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// StableHLO's dimension numbers for gather. Scatter uses them, too: it writes where gather reads,
/// and its updates have the shape of gather's result.
struct IndexDims {
  Dims offset_dims;                   // dimensions of the result that run along the window
  Dims collapsed_slice_dims;          // of the array: size 1 in the window, absent from the result
  Dims operand_batching_dims;         // batch dimensions of the array, paired in order
  Dims start_indices_batching_dims;   // with these batch dimensions of the indices
  Dims start_index_map;               // array dimension of each component of an index vector
  std::int64_t index_vector_dim = 0;  // of the indices, which are scalars if it equals their rank
};

/// Returns the dimension numbers for an array and indices of equal rank, where each index selects
/// an element along `dim`. All other dimensions are batch dimensions.
IndexDims along_dim(int rank, std::int64_t dim);

/// How to treat windows that exceed the array.
enum class OutOfBounds {
  fill,    // gather fills the whole window with the fill value; scatter drops the update
  clip,    // moves the window to the nearest position inside the array
  promise  // the caller promises that no window does; otherwise the result is unspecified
};

/// Returns the number of components of an index vector.
std::int64_t num_index_components(const ArrayType& indices, const IndexDims& dims);
/// Returns component i of all index vectors, without index_vector_dim.
Value index_component(Value indices, const IndexDims& dims, std::int64_t i, SourceLoc loc);
/// Returns the shape of the gathered result: the dimensions of the indices without index_vector_dim
/// and the dimensions of the window, interleaved according to offset_dims.
Dims gathered_dims(const ArrayType& indices, const IndexDims& dims, const Dims& slice_sizes);
/// Returns the window sizes of a scatter with updates of this shape.
Dims window_sizes(const ArrayType& operand, const IndexDims& dims, const Dims& update_dims);
/// Returns the last start position at which the window fits along dimension start_index_map[i].
std::int64_t last_start(const ArrayType& operand,
                        const IndexDims& dims,
                        const Dims& slice_sizes,
                        std::int64_t i);
/// True if this integer dtype can represent every number up to `limit`.
bool holds(DType dtype, std::int64_t limit);

/// Returns the indices clamped so that every window lies inside the array.
Value clip_indices(Value indices,
                   const ArrayType& operand,
                   const IndexDims& dims,
                   const Dims& slice_sizes,
                   SourceLoc loc);
/// Returns booleans that are true where the window lies inside the array, in the shape of the
/// indices without index_vector_dim. Returns a null Value if the dtype of the indices cannot
/// represent a position outside.
Value windows_inside(Value indices,
                     const ArrayType& operand,
                     const IndexDims& dims,
                     const Dims& slice_sizes,
                     SourceLoc loc);

/// Rejects dimension numbers that are inconsistent with each other, the array or the indices.
/// `result_rank` is the rank of the gathered result or of the updates.
void check_index_dims(const Node& node,
                      const Type& operand,
                      const Type& indices,
                      const IndexDims& dims,
                      int result_rank);
/// Rejects windows that do not fit in the array.
void check_window(const Node& node,
                  const Type& operand,
                  const IndexDims& dims,
                  const Dims& slice_sizes);

}  // namespace meshwright::graph
