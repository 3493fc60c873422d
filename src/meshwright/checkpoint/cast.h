// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/checkpoint/stored.h"

namespace meshwright::checkpoint {

/// Whether elements can be taken for those of another dtype: floats for floats, whole numbers for
/// whole numbers.
bool can_cast(DType from, DType to);

/// The same numbers in another dtype, cast as they are read: floats are rounded to the nearest.
/// Reading throws data_loss for a whole number that the dtype has not. Throws invalid_argument
/// where can_cast is false.
StoredArray cast(const StoredArray& array, DType dtype);

}  // namespace meshwright::checkpoint
