// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace meshwright {

/// Resident memory of this process, as reported by the kernel.
struct ResidentMemory {
  std::int64_t now_bytes = 0;
  std::int64_t peak_bytes = 0;  // since the start, or since restart_resident_peak()
};

/// Returns nullopt if the kernel does not report resident memory.
std::optional<ResidentMemory> find_resident_memory();

/// Resets the peak. Returns false if the kernel refuses or ignores the request.
bool restart_resident_peak();

}  // namespace meshwright
