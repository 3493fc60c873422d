// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/contents/stored.h"

namespace meshwright::checkpoint {

/// True if arrays can be read as another dtype: floats as floats, integers as integers.
bool can_cast(DType from, DType to);

/// Returns the array in another dtype, cast as it is read. Floats round to nearest. Reading throws
/// data_loss if an integer is out of range. Throws invalid_argument if can_cast() is false.
StoredArray cast(const StoredArray& array, DType dtype);

}  // namespace meshwright::checkpoint
