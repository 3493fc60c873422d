// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "meshwright/io/posix_handle.h"

namespace meshwright::io {

/// Writes a new file that the user names. Until publish(), the file is called PATH.partial; without
/// publish(), the destructor removes it. Errors name the file.
class UserFileWriter {
 public:
  /// Throws already_exists if there is something at `path`, and not_found if its folder does not
  /// exist. A .partial file that a killed process left is overwritten.
  explicit UserFileWriter(std::string path);
  ~UserFileWriter();
  UserFileWriter(UserFileWriter&&) = default;
  UserFileWriter& operator=(UserFileWriter&&) = delete;

  void append(std::span<const std::byte> bytes);
  /// Overwrites bytes that have been appended, such as those of a header.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t num_bytes() const { return num_bytes_; }
  /// Returns the present name of the file, PATH.partial. All bytes before the last overwrite() can
  /// be read there.
  std::string partial() const { return path_ + ".partial"; }

  /// Returns once the content would survive a power loss.
  void sync();
  /// Gives the file its name; it and its content then survive a power loss. Throws already_exists
  /// if there is something at `path` by now. A group of files is published one by one, after
  /// sync() of each.
  void publish();

 private:
  void write_buffer();

  std::string path_;
  Handle file_;
  std::uint64_t num_bytes_ = 0;
  std::string buffer_;
};

}  // namespace meshwright::io
