// SPDX-License-Identifier: Apache-2.0
// Element types of the interface and ours. Not for other folders.
#pragma once

#include "meshwright/pjrt/c/buffer.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::pjrt {

c::BufferType to_c(DType dtype);
/// Throws unimplemented for a type we have none for, as complex numbers.
DType from_c(c::BufferType type);

}  // namespace meshwright::pjrt
