// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meshwright {

/// Returns the physical memory of the machine, in bytes.
std::int64_t machine_memory_bytes();

}  // namespace meshwright
