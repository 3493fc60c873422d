// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace meshwright::config {

/// Returns the existing folders in which configs are looked up by name: configs/ in the working
/// folder, share/meshwright/configs next to the folder of the running program, and configs/ in the
/// source tree from which it was built.
std::vector<std::filesystem::path> config_folders();

/// Returns the names that find_config() accepts: paths relative to one of the folders, without
/// .toml. Files in subfolders whose names begin with _ are bases of other configs and have no name.
std::vector<std::string> config_names(const std::vector<std::filesystem::path>& folders);

/// Returns the file that `name` refers to: a path, or the name of a file in one of the folders,
/// including its subfolder, with or without .toml. Throws not_found, suggesting the nearest name,
/// if there is none.
std::filesystem::path find_config(const std::string& name,
                                  const std::vector<std::filesystem::path>& folders);

}  // namespace meshwright::config
