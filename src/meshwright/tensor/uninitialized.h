// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/tensor/host_tensor.h"

namespace meshwright {

/// Returns a tensor with undefined elements, for callers that overwrite all of them: zeroing
/// gigabytes takes as long as copying them. Aligned to at least 64 bytes. Large tensors use huge
/// pages if the system has them.
HostTensor uninitialized_tensor(ArrayType type);

}  // namespace meshwright
