// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/tensor/host_tensor.h"

namespace meshwright {

/// True for f16, bf16, f32 and f64.
bool can_float_cast(DType dtype);
/// Returns the tensor converted to `dtype`, rounded to nearest, or the tensor itself if it already
/// has that dtype. Throws invalid_argument unless can_float_cast() holds for both dtypes.
HostTensor float_cast(const HostTensor& tensor, DType dtype);

}  // namespace meshwright
