// SPDX-License-Identifier: Apache-2.0
// Files that are really on the disk when a call returns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace meshwright::checkpoint {

/// Writes a new file and waits until the disk has it. Throws unavailable, naming the file, the
/// cause and for a full disk the bytes needed and free; what is left is no complete file.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
/// Waits until the disk has the names in a folder.
void sync_folder(const std::filesystem::path& folder);
/// Renames, replacing nothing, and waits until the disk knows.
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
/// Throws data_loss if the file is missing or has another size, unavailable if it cannot be read.
void read_file(const std::filesystem::path& path, std::span<std::byte> bytes);
/// The whole file. Throws as above, data_loss also for one of more than `max_bytes`.
std::string read_text(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace meshwright::checkpoint
