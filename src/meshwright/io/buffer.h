// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace meshwright::io {

/// Uninitialised bytes on the heap. Unlike std::vector, Buffer does not zero them, which would
/// waste time: chunks are large and always overwritten.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t num_bytes)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(num_bytes)), num_bytes_(num_bytes) {}

  std::size_t size() const { return num_bytes_; }
  std::byte* data() { return bytes_.get(); }
  const std::byte* data() const { return bytes_.get(); }
  std::span<std::byte> span() { return {bytes_.get(), num_bytes_}; }
  std::span<const std::byte> span() const { return {bytes_.get(), num_bytes_}; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.get()), num_bytes_};
  }
  /// Shortens the buffer without moving its bytes.
  void truncate(std::size_t num_bytes) { num_bytes_ = num_bytes; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t num_bytes_ = 0;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline Buffer copied(std::span<const std::byte> bytes) {
  Buffer out(bytes.size());
  std::ranges::copy(bytes, out.data());
  return out;
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace meshwright::io
