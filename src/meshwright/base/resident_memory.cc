// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/resident_memory.h"

#include <fstream>
#include <string>

namespace meshwright {

std::optional<ResidentMemory> find_resident_memory() {
  ResidentMemory out;
  std::ifstream status("/proc/self/status");
  std::int64_t kib = 0;
  for (std::string word; status >> word;) {
    if (word == "VmRSS:" && status >> kib) out.now_bytes = 1024 * kib;
    if (word == "VmHWM:" && status >> kib) out.peak_bytes = 1024 * kib;
  }
  if (out.now_bytes == 0 || out.peak_bytes == 0) return std::nullopt;
  return out;
}

void restart_resident_peak() {
  std::ofstream("/proc/self/clear_refs") << "5\n";
}

}  // namespace meshwright
