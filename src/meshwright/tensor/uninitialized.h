// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/tensor/host_tensor.h"

namespace meshwright {

/// A tensor whose elements start out undefined, for those who are about to write all of them:
/// setting gigabytes to zero first takes as long as copying them. Aligned to 64 bytes or more; a
/// large one lies in large pages where the system has them.
HostTensor uninitialized_tensor(ArrayType type);

}  // namespace meshwright
