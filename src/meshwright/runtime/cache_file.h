// SPDX-License-Identifier: Apache-2.0
// Internal to runtime/: a file of the cache, with a header and checksummed bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright::runtime {

struct CacheFileContent {
  std::optional<std::string> bytes;  // if absent, see fault
  std::string fault;                 // why the file is unusable; empty if it is usable
};

/// Reads a file written by write_cache_file() under this name and marks it as recently used.
CacheFileContent read_cache_file(const std::filesystem::path& path);

/// Writes a file atomically: other processes see the old file, the new file or no file, even after
/// a crash. Leaves no partial file behind. Returns the reason for a failure, or "".
std::string write_cache_file(const std::filesystem::path& path, std::string_view bytes);

/// True if this is the name of a file that is still being written.
bool is_unfinished_cache_file(const std::filesystem::path& path);

}  // namespace meshwright::runtime
