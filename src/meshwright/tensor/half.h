// SPDX-License-Identifier: Apache-2.0
// The two 16-bit floating-point types. Arithmetic uses float.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace meshwright {

/// bfloat16: the upper half of a float. Conversion rounds to nearest even and preserves NaN.
struct BFloat16 {
  std::uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) {
    auto wide = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) {
      bits = static_cast<std::uint16_t>(wide >> 16 | 0x40u);
    } else {
      bits = static_cast<std::uint16_t>((wide + 0x7fffu + (wide >> 16 & 1u)) >> 16);
    }
  }
  explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  operator float() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }  // NOLINT
};

/// IEEE binary16, converted with the compiler's _Float16.
struct Half {
  std::uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) {}
  explicit Half(double value) : bits(std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) {}
  operator float() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }  // NOLINT
};

static_assert(sizeof(BFloat16) == 2 && sizeof(Half) == 2);

}  // namespace meshwright
