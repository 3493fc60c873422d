// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "meshwright/pjrt/device.h"
#include "meshwright/pjrt/named_value.h"
#include "meshwright/runtime/client.h"

namespace meshwright::runtime {

/// Sets the slice and the place in `info` from the attributes of a TPU. Plugins number slices only
/// if there are several, and cores only if a chip has several devices; otherwise the numbers are 0.
void describe_tpu(const std::vector<pjrt::NamedValue>& attributes, DeviceInfo& info);

/// Returns the compute capability of a GPU from its attributes, as DeviceInfo has it.
int compute_capability(const std::vector<pjrt::NamedValue>& attributes);

/// Returns what is known of a device, but not its memory.
DeviceInfo describe_device(const pjrt::DeviceDescription& device, std::string_view platform);

}  // namespace meshwright::runtime
