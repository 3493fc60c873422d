// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace meshwright {

static_assert(std::endian::native == std::endian::little);

/// Returns the little-endian number at an offset. Requires offset + sizeof(T) <= bytes.size().
template <typename T>
T number_at(std::span<const std::byte> bytes, std::size_t offset) {
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

}  // namespace meshwright
