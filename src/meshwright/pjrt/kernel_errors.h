// SPDX-License-Identifier: Apache-2.0
// Not for other folders.
#pragma once

#include <exception>
#include <string_view>

namespace meshwright::pjrt {

/// Keeps the error, as device error "kernel <name> on device <device>: <what>", if it is the first.
void record_kernel_error(std::string_view name,
                         int device,
                         const std::exception_ptr& error) noexcept;

}  // namespace meshwright::pjrt
