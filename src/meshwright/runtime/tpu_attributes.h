// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "meshwright/pjrt/named_value.h"
#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Takes slice and place from what the plugin tells of a TPU. Plugins number slices only where
/// there are several, and cores where a chip is several devices; else the numbers are 0.
void describe_tpu(const std::vector<pjrt::NamedValue>& attributes, DeviceInfo& info);

}  // namespace meshwright::runtime
