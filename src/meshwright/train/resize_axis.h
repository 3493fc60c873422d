// SPDX-License-Identifier: Apache-2.0
// Embeddings of positions for another number of them.
#pragma once

#include <string>

#include "meshwright/train/state_converters.h"

namespace meshwright::train {

/// As resize_positions says; `path` is for messages. The value has the dtype of the source.
HostTensor resized(const HostTensor& source,
                   const StateArray& target,
                   PositionStrategy strategy,
                   const std::string& path);

/// The dimension in straight lines between its elements, as jax.image.resize with the method
/// "linear": positions are the middles of cells, and where there become fewer each is a weighted
/// mean of all within reach. Throws invalid_argument for arrays that are no floats.
HostTensor interpolated(const HostTensor& source, std::size_t dim, std::int64_t size);

}  // namespace meshwright::train
