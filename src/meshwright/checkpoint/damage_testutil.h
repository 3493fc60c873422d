// SPDX-License-Identifier: Apache-2.0
// What may happen to a step that was whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {

struct StepDamage {
  std::string name;  // "index is a link"
  std::function<void(io::MemoryFileSystem& files)> apply;
};

/// Every way to harm one file of a step, or its folder: lost, cut off, longer, a link (or pipe or
/// device), a folder. Only such that can be seen without reading elements.
std::vector<StepDamage> visible_damage(const io::MemoryFileSystem& files,
                                       const std::string& folder);

}  // namespace meshwright::checkpoint
