// SPDX-License-Identifier: Apache-2.0
// Splits arrays into the chunks in which they are stored.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/tensor/ranges.h"

namespace meshwright::checkpoint {

/// Returns the pieces into which a chunk grid cuts a part of an array; none if the part is empty.
std::vector<Ranges> pieces_of(const Ranges& part, const Dims& chunk);

/// Returns a chunk shape of at most `max_bytes` if possible, split along the leading dimensions so
/// that a chunk is contiguous in memory. The chunk's sizes divide the part's, unless the part is
/// the whole array.
Dims chunk_within(const Dims& part, const ArrayType& array, std::int64_t max_bytes);

/// Returns the sizes of the parts of an array, at least 1 each. Throws invalid_argument unless the
/// parts have equal sizes and form a grid.
Dims part_dims(const ArrayParts& array);

/// Returns a piece of a part, without copying it if it is contiguous in memory.
HostTensor cut(const Part& part, const Ranges& piece);

}  // namespace meshwright::checkpoint
