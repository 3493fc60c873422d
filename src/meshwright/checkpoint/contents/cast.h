// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// True if arrays of dtype `from` can be read as `to`: if the dtypes are equal, both are floats (of
/// at least 16 bits) or both are integers.
bool can_cast(DType from, DType to);

/// Returns the array in another dtype, cast as it is read. Floats round to nearest. Reading throws
/// data_loss if an integer is out of range. Throws invalid_argument if can_cast() is false.
StoredArray cast(const StoredArray& array, DType dtype);

}  // namespace meshwright::checkpoint
