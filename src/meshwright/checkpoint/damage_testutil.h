// SPDX-License-Identifier: Apache-2.0
// Damage to a complete step.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "meshwright/io/memory_file_system.h"

namespace meshwright::checkpoint {

struct CheckpointDamage {
  std::string name;  // "index is a link"
  std::function<void(io::MemoryFileSystem& files)> apply;
};

/// Returns every way to damage one file of a step, or its folder: missing, truncated, longer,
/// replaced by a link (or pipe or device) or by a folder. All are detectable without reading
/// elements.
std::vector<CheckpointDamage> visible_damage(const io::MemoryFileSystem& files,
                                             const std::string& folder);

}  // namespace meshwright::checkpoint
