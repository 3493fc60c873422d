// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace meshwright::metrics {

/// A file that only grows, by whole records: each is there in full or not at all, even if the
/// process is killed after append() or the disk is full.
class AppendFile {
 public:
  /// Makes missing folders and the file. Throws unavailable with the system's reason.
  explicit AppendFile(const std::filesystem::path& path);
  ~AppendFile();
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;

  /// Throws unavailable if the record does not fit; the file is as before then.
  void append(std::string_view record);
  std::int64_t num_bytes() const { return num_bytes_; }
  /// False for an empty file too.
  bool ends_with(char last) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int file_ = -1;
  std::int64_t num_bytes_ = 0;
};

}  // namespace meshwright::metrics
