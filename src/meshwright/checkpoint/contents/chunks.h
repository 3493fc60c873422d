// SPDX-License-Identifier: Apache-2.0
// Cutting arrays into the chunks they are stored in.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/tensor/ranges.h"

namespace meshwright::checkpoint {

/// Returns the pieces into which a chunk grid cuts a part of an array; none if the part is empty.
std::vector<Ranges> pieces_of(const Ranges& part, const Dims& chunk);

/// A chunk no larger than `max_bytes` where that is possible, cut off at the front, so that it is
/// one piece of memory; a divisor of the part's sizes, except where the part is all of the array.
Dims chunk_within(const Dims& part, const ArrayType& array, std::int64_t max_bytes);

/// Sizes of the parts of an array, which are all equal, at least 1 each. Throws invalid_argument if
/// they are no such grid.
Dims part_dims(const ArrayParts& array);

/// A piece of a part, without a copy where it is one piece of memory.
HostTensor cut(const Part& part, const Ranges& piece);

}  // namespace meshwright::checkpoint
