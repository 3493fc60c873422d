// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::io {

/// Adjacent bytes of a file.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t num_bytes = 0;
  bool operator==(const FileRange&) const = default;
};

/// Throws data_loss, naming the file, unless the range lies within `file_bytes` bytes.
void check_range(const FileRange& range, std::uint64_t file_bytes, const std::string& name);

/// Calls f for the bytes of a range of a file, in order and in blocks.
void for_each_block(const ReadableFile& file,
                    const FileRange& range,
                    const std::function<void(std::span<const std::byte> block)>& f);

/// Returns a range of a file as a file of its own. Throws the errors of check_range(). `name` is
/// the file's name, for messages.
std::unique_ptr<ReadableFile> file_region(std::shared_ptr<const ReadableFile> file,
                                          const FileRange& range,
                                          const std::string& name);
/// Returns ranges of a file, one after the other, as a file of its own.
std::unique_ptr<ReadableFile> file_regions(const std::shared_ptr<const ReadableFile>& file,
                                           const std::vector<FileRange>& ranges,
                                           const std::string& name);
/// Returns bytes in memory as a file. `name` is for messages.
std::unique_ptr<ReadableFile> file_in_memory(Buffer bytes, std::string name);

}  // namespace meshwright::io
