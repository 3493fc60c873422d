// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/shape.h"

namespace meshwright::io {

/// Returns the bytes of the elements of an array that a file describes. Throws data_loss if no
/// array can have this shape.
std::uint64_t declared_bytes(const ArrayType& type);

}  // namespace meshwright::io
