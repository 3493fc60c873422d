// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace meshwright::train {

/// Floating-point operations per second that a device reaches at most, dense, in bf16; nothing for
/// a device that is not known, as any CPU. `kind`: as runtime::DeviceInfo has it.
std::optional<double> peak_flops(std::string_view kind);

}  // namespace meshwright::train
