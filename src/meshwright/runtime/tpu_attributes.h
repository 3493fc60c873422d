// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/pjrt/named_value.h"
#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Sets the slice and the place in `info` from the attributes of a TPU. Plugins number slices only
/// if there are several, and cores only if a chip has several devices; otherwise the numbers are 0.
void describe_tpu(const std::vector<pjrt::NamedValue>& attributes, DeviceInfo& info);

}  // namespace meshwright::runtime
