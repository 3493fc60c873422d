// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// Finds an Orbax checkpoint in this folder or up to two levels below it, where Orbax's managers
/// put checkpoints: "100", "100/default", or "" for the folder itself. Ignores checkpoints with a
/// Meshwright manifest.
std::optional<std::string> find_orbax(const io::FileSystem& files);

}  // namespace meshwright::checkpoint
