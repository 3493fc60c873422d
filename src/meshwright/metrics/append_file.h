// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "meshwright/io/file_system.h"

namespace meshwright::metrics {

using Files = std::shared_ptr<io::FileSystem>;

/// An append-only file of records. Each record is written completely or not at all, even if the
/// process is killed after append() or the disk is full.
class AppendFile {
 public:
  /// Creates the file and missing folders. Like FileSystem::append(), throws for a link or pipe.
  AppendFile(Files files, std::string path);

  /// If the record does not fit, throws and leaves the file unchanged.
  void append(std::string_view record);
  std::int64_t num_bytes() const { return num_bytes_; }
  /// False for an empty file.
  bool ends_with(char last) const;
  const std::string& path() const { return path_; }

 private:
  Files files_;
  std::string path_;
  std::unique_ptr<io::AppendableFile> file_;
  std::int64_t num_bytes_ = 0;
};

}  // namespace meshwright::metrics
