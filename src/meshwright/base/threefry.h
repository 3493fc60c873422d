// SPDX-License-Identifier: Apache-2.0
// JAX's counter-based Threefry-2x32 random numbers (jax_threefry_partitionable=True) on the host.
// The bits are identical to those that graph/random computes on a device.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace meshwright::threefry {

/// A key, or a block of 64 random bits, as words in JAX's order.
using KeyWords = std::array<std::uint32_t, 2>;

/// Number of seed bits to use. JAX uses 32 unless jax_enable_x64 is set.
enum class SeedWidth {
  automatic,  // 32 if the seed fits in a signed or unsigned 32-bit integer, otherwise 64
  bits32,     // drop the upper half
  bits64,
};

/// Returns jax.random.key(seed).
KeyWords key(std::int64_t seed, SeedWidth width = SeedWidth::automatic);

/// Constants of the hash. The third word of the key schedule is the exclusive or of the key's two
/// words and kParity. Groups of four rounds rotate the second word by the two rows of kRotations in
/// turn.
inline constexpr std::uint32_t kParity = 0x1BD11BDA;
inline constexpr std::array<std::array<int, 4>, 2> kRotations = {
    {{13, 15, 26, 6}, {17, 29, 16, 24}}};

/// Returns the hash itself: 20 rounds over a 64-bit counter given as {high, low}.
KeyWords hash(KeyWords key, KeyWords counter);
/// Returns the random block for element `index` of any array drawn from `key`.
inline KeyWords block(KeyWords key, std::uint64_t index) {
  return hash(key, {static_cast<std::uint32_t>(index >> 32), static_cast<std::uint32_t>(index)});
}

/// Returns jax.random.fold_in(key, data).
inline KeyWords fold_in(KeyWords key, std::uint32_t data) {
  return block(key, data);
}
/// Returns jax.random.split(key, num).
std::vector<KeyWords> split(KeyWords key, std::uint64_t num = 2);

/// Returns element `index`, in row-major order, of jax.random.bits with this width. Narrower widths
/// are the low bits of bits32().
inline std::uint32_t bits32(KeyWords key, std::uint64_t index) {
  KeyWords words = block(key, index);
  return words[0] ^ words[1];
}
inline std::uint64_t bits64(KeyWords key, std::uint64_t index) {
  KeyWords words = block(key, index);
  return std::uint64_t{words[0]} << 32 | words[1];
}
/// Fills `out` with the elements starting at `first`, using SIMD.
void fill_bits32(KeyWords key, std::uint64_t first, std::span<std::uint32_t> out);
void fill_bits64(KeyWords key, std::uint64_t first, std::span<std::uint64_t> out);

}  // namespace meshwright::threefry
