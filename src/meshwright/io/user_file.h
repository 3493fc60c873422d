// SPDX-License-Identifier: Apache-2.0
// Files that the user names: unlike the files of a FileSystem, they may lie behind links.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Describes the target of a path after following links.
struct UserFileInfo {
  FileKind kind = FileKind::file;
  std::uint64_t num_bytes = 0;
  std::int64_t modified_nanoseconds = 0;  // since 1970
};

/// Throws not_found, or unavailable or invalid_argument with the reason.
UserFileInfo user_file_info(const std::string& path);

/// Opens a plain file, following links. Throws data_loss for a folder, pipe, socket or device, and
/// never blocks on one.
std::unique_ptr<ReadableFile> open_user_file(const std::string& path);

}  // namespace meshwright::io
