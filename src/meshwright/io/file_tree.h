// SPDX-License-Identifier: Apache-2.0
// Operations on whole trees of files, robust against extreme depth. See also remove_tree().
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Returns the entries of a folder; none if it is not there, or no longer.
std::vector<FolderEntry> list_if_there(const FileSystem& files, const std::string& folder);

/// Maximum depth of folders to visit. No format needs more.
inline constexpr std::size_t kMaxFolders = 32;

/// Calls `visit` for every file and link below a folder, always in the same order. Skips files that
/// disappear during the call or are deeper than kMaxFolders, and names that are not valid in a
/// path.
void for_each_file_below(
    const FileSystem& files,
    const std::string& folder,
    const std::function<void(const std::string& path, const FileInfo& info)>& visit);

/// Returns the total size of these files. For a link, counts the size of the link itself.
std::uint64_t num_bytes_below(const FileSystem& files, const std::string& folder);

}  // namespace meshwright::io
