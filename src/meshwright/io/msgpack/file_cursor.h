// SPDX-License-Identifier: Apache-2.0
// Internal to msgpack/.
#pragma once

#include <cstdint>
#include <string>

#include "meshwright/io/file_region.h"

namespace meshwright::io {

/// Reads a file from front to back in blocks, and can skip parts of it. Throws data_loss at the end
/// of the file.
class FileCursor {
 public:
  FileCursor(const ReadableFile& file, std::string name) : file_(file), name_(std::move(name)) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t num_left() const { return file_.num_bytes() - offset_; }
  const std::string& name() const { return name_; }

  std::uint8_t byte();
  /// Returns a big-endian number of this many bytes.
  std::uint64_t number(int num_bytes);
  std::string text(std::uint64_t num_bytes);
  /// Moves past bytes and returns where they are.
  FileRange skip(std::uint64_t num_bytes);

  /// Throws data_loss, with the name and the offset.
  [[noreturn]] void fail_here(std::string_view reason) const;

 private:
  void check_left(std::uint64_t num_bytes) const;

  const ReadableFile& file_;
  std::string name_;
  std::uint64_t offset_ = 0;
  std::uint64_t begin_ = 0;  // of the block
  std::string block_;
};

}  // namespace meshwright::io
