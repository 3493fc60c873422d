// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/: converts between PJRT's element types and DType.
#pragma once

#include "meshwright/pjrt/c/buffer.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::pjrt {

c::BufferType to_c(DType dtype);
/// Throws unimplemented for a type without a DType, such as complex numbers.
DType from_c(c::BufferType type);

}  // namespace meshwright::pjrt
