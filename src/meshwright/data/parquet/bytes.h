// SPDX-License-Identifier: Apache-2.0
// Internal to parquet/: consumes untrusted bytes from the front. All functions throw data_loss if
// the bytes end too early.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "meshwright/base/error.h"

namespace meshwright::data::parquet {

inline std::string_view take(std::string_view& bytes, std::uint64_t size) {
  if (size > bytes.size())
    fail(ErrorCode::data_loss, "truncated: needs ", size, " bytes, has ", bytes.size());
  const std::string_view out = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return out;
}

inline std::uint32_t take_uint32(std::string_view& bytes) {
  std::uint32_t out = 0;
  std::memcpy(&out, take(bytes, sizeof(out)).data(), sizeof(out));
  return out;
}

inline std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto part = static_cast<std::uint8_t>(take(bytes, 1).front());
    out |= std::uint64_t{part & 0x7fU} << shift;
    if (part < 0x80) return out;
  }
  fail(ErrorCode::data_loss, "a number is too long");
}

inline std::uint64_t take_zigzag(std::string_view& bytes) {
  const std::uint64_t value = take_varint(bytes);
  return (value >> 1) ^ (~(value & 1) + 1);
}

}  // namespace meshwright::data::parquet
