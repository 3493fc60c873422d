// SPDX-License-Identifier: Apache-2.0
// One file of the cache: a header, and bytes under a checksum. Not for other folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace meshwright::runtime {

struct CacheFileContent {
  std::optional<std::string> bytes;  // absent: see fault
  std::string fault;                 // why the file is unusable; empty if there is none
};

/// Reads what write_cache_file wrote under this name. Marks the file as used now.
CacheFileContent read_cache_file(const std::filesystem::path& path);

/// Puts `bytes` there in one step: another process sees the old file, the new one or none, also
/// after a crash. Returns why it could not, or nothing. Nothing half-written stays.
std::string write_cache_file(const std::filesystem::path& path, std::string_view bytes);

/// Whether a name is that of a file still being written.
bool is_unfinished_cache_file(const std::filesystem::path& path);

}  // namespace meshwright::runtime
