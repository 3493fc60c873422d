// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace meshwright {

/// What of this process lies in memory, by the kernel.
struct ResidentMemory {
  std::int64_t now_bytes = 0;
  std::int64_t peak_bytes = 0;  // since the start, or since restart_resident_peak()
};

/// None where the kernel does not tell.
std::optional<ResidentMemory> find_resident_memory();

/// Counts the peak anew. False: the kernel does not let it, or does not do it.
bool restart_resident_peak();

}  // namespace meshwright
