// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshwright::config {

/// Returns the existing folders in which configs are looked up by name: configs/ in the working
/// folder, share/meshwright/configs beside the folder of the running program, and configs/ in the
/// source tree from which it was built.
std::vector<std::filesystem::path> config_folders();

/// Returns the file for `name`: a path, or the name of a file in one of the folders, including its
/// subfolder, with or without .toml. Throws not_found, suggesting the nearest name.
std::filesystem::path find_config(const std::string& name,
                                  const std::vector<std::filesystem::path>& folders);

}  // namespace meshwright::config
