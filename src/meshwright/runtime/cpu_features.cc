// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/cpu_features.h"

#include <fstream>

namespace meshwright::runtime {

std::string cpu_features() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    // x86 and Arm call it differently. All processors of a machine have the same.
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    auto colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

}  // namespace meshwright::runtime
