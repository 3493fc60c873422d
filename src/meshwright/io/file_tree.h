// SPDX-License-Identifier: Apache-2.0
// What is done with a whole tree of files, however deep somebody made it. See also remove_tree().
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// So many folders below one another are looked into; no format needs more.
inline constexpr std::size_t kMaxFolders = 32;

/// The bytes of all files below a folder, those of a link being its own. What goes away meanwhile
/// counts nothing, nor does what lies deeper than kMaxFolders or has a name that no path may have.
std::uint64_t num_bytes_below(const FileSystem& files, const std::string& folder);

}  // namespace meshwright::io
