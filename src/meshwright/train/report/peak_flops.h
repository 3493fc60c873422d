// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace meshwright::train {

/// Returns the peak dense bf16 FLOP/s of a device; nullopt for unknown devices, including all CPUs.
/// `kind` is runtime::DeviceInfo::kind.
std::optional<double> peak_flops(std::string_view kind);

}  // namespace meshwright::train
