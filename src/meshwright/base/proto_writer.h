// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace meshwright {

/// Appends fields in the protocol-buffer wire format.
class ProtoWriter {
 public:
  void varint(int field, std::uint64_t value) {
    tag(field, 0);
    raw_varint(value);
  }
  /// For int32, int64 and enum fields. A negative number takes ten bytes.
  void int64(int field, std::int64_t value) { varint(field, static_cast<std::uint64_t>(value)); }
  void boolean(int field, bool value) { varint(field, value ? 1 : 0); }
  void float64(int field, double value) {
    tag(field, 1);
    raw_fixed(std::bit_cast<std::uint64_t>(value));
  }
  void float32(int field, float value) {
    tag(field, 5);
    raw_fixed(std::bit_cast<std::uint32_t>(value));
  }
  /// Appends a packed repeated field of doubles, the default encoding of proto3.
  void packed_float64(int field, std::span<const double> values) {
    tag(field, 2);
    raw_varint(values.size() * sizeof(double));
    for (double value : values)
      raw_fixed(std::bit_cast<std::uint64_t>(value));
  }
  void message(int field, const ProtoWriter& nested) { bytes(field, nested.str()); }
  /// Appends a string, or the bytes of a nested message.
  void bytes(int field, std::string_view value) {
    tag(field, 2);
    raw_varint(value.size());
    bytes_ += value;
  }
  /// Appends a field that is already encoded (ProtoField::raw).
  void raw(std::string_view field) { bytes_ += field; }
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

  template <typename Bits>
  void raw_fixed(Bits bits) {
    for (std::size_t i = 0; i < sizeof(bits); ++i, bits = static_cast<Bits>(bits >> 8))
      bytes_ += static_cast<char>(bits & 0xff);
  }

  std::string bytes_;
};

}  // namespace meshwright
