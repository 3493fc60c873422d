// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <string>

namespace meshwright::metrics {

template <std::unsigned_integral Bits>
void append_little_endian(std::string& out, Bits value) {
  for (std::size_t i = 0; i < sizeof(value); ++i)
    out += static_cast<char>(value >> (8 * i) & 0xff);
}

}  // namespace meshwright::metrics
