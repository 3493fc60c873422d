// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace meshwright::data {

/// The beginning of a file, mapped into memory: reading it makes no system call, and the memory
/// counts as the system's file cache. Stays valid when the file is removed. Movable.
class MappedFile {
 public:
  /// Throws data_loss if the file has fewer bytes, not_found or unavailable if it cannot be opened.
  /// A link is not followed.
  MappedFile(const std::string& path, std::int64_t num_bytes);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  /// Returns the content as values that were written by this program.
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace meshwright::data
