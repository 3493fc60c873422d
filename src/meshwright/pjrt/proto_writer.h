// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace meshwright::pjrt {

/// Appends fields in the protocol-buffer wire format.
class ProtoWriter {
 public:
  void varint(int field, std::uint64_t value) {
    tag(field, 0);
    raw_varint(value);
  }
  /// int32, int64 and enum fields; a negative number takes ten bytes.
  void int64(int field, std::int64_t value) { varint(field, static_cast<std::uint64_t>(value)); }
  void boolean(int field, bool value) { varint(field, value ? 1 : 0); }
  void float64(int field, double value) {
    tag(field, 1);
    auto bits = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8)
      bytes_ += static_cast<char>(bits >> shift & 0xff);
  }
  /// A string, or the bytes of a nested message.
  void bytes(int field, std::string_view value) {
    tag(field, 2);
    raw_varint(value.size());
    bytes_ += value;
  }
  void raw_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  const std::string& str() const { return bytes_; }

 private:
  void tag(int field, unsigned wire_type) {
    raw_varint(static_cast<std::uint64_t>(field) << 3 | wire_type);
  }

  std::string bytes_;
};

}  // namespace meshwright::pjrt
