// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/ops/index_dims.h"

namespace meshwright::graph {

/// Returns dimension numbers for an array f32[4,6,5], indices s32[4,3,2] and windows [1,2,1].
/// Dimension 0 is a batch dimension of both, and index vectors are positions in dimensions 1 and 2.
/// The gathered array is f32[4,2,3].
inline IndexDims example_index_dims() {
  return {.offset_dims = {1},
          .collapsed_slice_dims = {2},
          .operand_batching_dims = {0},
          .start_indices_batching_dims = {0},
          .start_index_map = {1, 2},
          .index_vector_dim = 2};
}

}  // namespace meshwright::graph
