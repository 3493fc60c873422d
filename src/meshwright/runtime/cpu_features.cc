// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/cpu_features.h"

#include <fstream>

namespace meshwright::runtime {

std::string cpu_features() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    // The key for x86 and Arm, respectively. All processors of a machine are equal.
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    auto colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

}  // namespace meshwright::runtime
