// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshwright::config {

/// Where configs that are given by name are looked for: configs/ of the working folder,
/// share/meshwright/configs beside the folder of the running program, configs/ of the source tree
/// it was built from. Those that exist.
std::vector<std::filesystem::path> config_folders();

/// The file that `name` means: a path, or the name of a file of one of the folders, with or without
/// its .toml, and with its subfolder. Throws not_found with the nearest name.
std::filesystem::path find_config(const std::string& name,
                                  const std::vector<std::filesystem::path>& folders);

}  // namespace meshwright::config
