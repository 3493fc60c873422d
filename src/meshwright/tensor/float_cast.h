// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/tensor/host_tensor.h"

namespace meshwright {

/// Whether float_cast knows the type: f16, bf16, f32, f64.
bool can_float_cast(DType dtype);
/// The same numbers in another dtype, rounded to the nearest; the array itself if it has that
/// dtype. Throws invalid_argument for types that are none of those above.
HostTensor float_cast(const HostTensor& tensor, DType dtype);

}  // namespace meshwright
