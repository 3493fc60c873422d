// SPDX-License-Identifier: Apache-2.0
// Resizes position embeddings to a different number of positions.
#pragma once

#include <string>

#include "meshwright/train/restore/state_converters.h"

namespace meshwright::train {

struct PositionResize {
  PositionStrategy strategy = PositionStrategy::truncate;
  PatchGrids grids = {};
};

/// Resizes `source` as resize_positions() describes. The result has the dtype of the source. `path`
/// is used in messages.
HostTensor resized(const HostTensor& source,
                   const StateArray& target,
                   const PositionResize& resize,
                   const std::string& path);

/// Resizes dimension `dim` by linear interpolation, like jax.image.resize with method "linear":
/// positions are cell centres, and downsampling averages with antialiasing weights. Throws
/// invalid_argument if the array is not floating-point.
HostTensor interpolated(const HostTensor& source, std::size_t dim, std::int64_t size);

/// Resizes dimension `dim`, a grid of rows and columns in row-major order, by bilinear
/// interpolation with aligned corners (align_corners=True), like scipy.ndimage.zoom with order=1.
/// Throws invalid_argument if the array is not floating-point.
HostTensor grid_interpolated(const HostTensor& source,
                             std::size_t dim,
                             const PatchGrid& from,
                             const PatchGrid& to);

}  // namespace meshwright::train
