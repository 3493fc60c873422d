// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::checkpoint {

/// Where a checkpoint of Orbax is, in this folder or up to two below it, as its managers have them:
/// "100", "100/default", or "" for the folder itself. Those that we write have a manifest and do
/// not count.
std::optional<std::string> find_orbax(const io::FileSystem& files);

}  // namespace meshwright::checkpoint
