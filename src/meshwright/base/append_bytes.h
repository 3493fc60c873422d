// SPDX-License-Identifier: Apache-2.0
// The counterparts of take_bytes.h: append numbers to bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace meshwright {

/// Appends the little-endian bytes of a number.
template <typename T>
void append_number(std::string& out, T number) {
  static_assert(std::is_arithmetic_v<T>);
  out += std::string_view(reinterpret_cast<const char*>(&number), sizeof(T));
}

/// Appends an unsigned LEB128 number.
inline void append_varint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    out += static_cast<char>(number | 0x80);
  out += static_cast<char>(number);
}

}  // namespace meshwright
