// SPDX-License-Identifier: Apache-2.0
// Embeddings of positions for another number of them.
#pragma once

#include <string>

#include "meshwright/train/restore/state_converters.h"

namespace meshwright::train {

struct PositionResize {
  PositionStrategy strategy = PositionStrategy::truncate;
  PatchGrids grids = {};
};

/// As resize_positions says; `path` is for messages. The value has the dtype of the source.
HostTensor resized(const HostTensor& source,
                   const StateArray& target,
                   const PositionResize& resize,
                   const std::string& path);

/// The dimension in straight lines between its elements, as jax.image.resize with the method
/// "linear": positions are the middles of cells, and where there become fewer each is a weighted
/// mean of all within reach. Throws invalid_argument for arrays that are no floats.
HostTensor interpolated(const HostTensor& source, std::size_t dim, std::int64_t size);

/// The dimension as a grid of rows and columns, row by row, in straight lines between its corners,
/// which stay: as scipy.ndimage.zoom of order 1. Throws invalid_argument for arrays that are no
/// floats.
HostTensor grid_interpolated(const HostTensor& source,
                             std::size_t dim,
                             const PatchGrid& from,
                             const PatchGrid& to);

}  // namespace meshwright::train
