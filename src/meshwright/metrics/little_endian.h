// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace meshwright::metrics {

template <std::unsigned_integral Bits>
void append_little_endian(std::string& out, Bits value) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    out += static_cast<char>(value >> (8 * i) & 0xff);
}

/// Returns the number at the beginning of `bytes`, which must be long enough.
template <std::unsigned_integral Bits>
Bits little_endian(std::string_view bytes) {
  Bits out = 0;
  for (std::size_t i = 0; i < sizeof(Bits); ++i)
    out |= static_cast<Bits>(Bits{static_cast<unsigned char>(bytes[i])} << (8 * i));
  return out;
}

}  // namespace meshwright::metrics
