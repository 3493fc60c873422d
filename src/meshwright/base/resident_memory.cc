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

bool restart_resident_peak() {
  const std::optional<ResidentMemory> before = find_resident_memory();
  std::ofstream file("/proc/self/clear_refs");
  file << "5\n";
  file.close();
  const std::optional<ResidentMemory> after = find_resident_memory();
  if (!file || !before || !after) return false;
  // Some containers accept the write but ignore it. That cannot be detected if the peak was no
  // higher than the current size.
  return after->peak_bytes < before->peak_bytes || before->peak_bytes <= after->now_bytes;
}

}  // namespace meshwright
