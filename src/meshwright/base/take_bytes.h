// SPDX-License-Identifier: Apache-2.0
// Functions that consume untrusted bytes from the front. All throw data_loss if the bytes end too
// early. Every supported machine is little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright {

static_assert(std::endian::native == std::endian::little);

/// Removes and returns the first `size` bytes.
inline std::string_view take(std::string_view& bytes, std::uint64_t size) {
  if (size > bytes.size())
    fail(ErrorCode::data_loss, "truncated: needs ", size, " bytes, has ", bytes.size());
  const std::string_view out = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return out;
}

/// Returns a little-endian number.
template <typename T>
T take_number(std::string_view& bytes) {
  T out;
  std::memcpy(&out, take(bytes, sizeof(out)).data(), sizeof(out));
  return out;
}

/// Returns an unsigned LEB128 number of at most 64 bits.
inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto part = static_cast<std::uint8_t>(take(bytes, 1).front());
    out |= std::uint64_t{part & 0x7fU} << shift;
    if (part < 0x80) return out;
  }
  fail(ErrorCode::data_loss, "a number is too long");
}

/// Returns a number whose lowest bit is the sign, in two's complement.
inline std::uint64_t take_zigzag(std::string_view& bytes) {
  const std::uint64_t value = take_varint(bytes);
  return (value >> 1) ^ (~(value & 1) + 1);
}

}  // namespace meshwright
