// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/md5.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace meshwright {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kLengthBytes = 8;
constexpr std::array<std::array<int, 4>, 4> kRotations = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

using State = std::array<std::uint32_t, 4>;

// The RFC defines this table by the sine function.
const std::array<std::uint32_t, 64>& sine_table() {
  static const std::array<std::uint32_t, 64> table = [] {
    std::array<std::uint32_t, 64> out{};
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint32_t>(std::abs(std::sin(static_cast<double>(i + 1))) * 0x1p32);
    return out;
  }();
  return table;
}

std::uint32_t mix(std::size_t round, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  switch (round) {
    case 0:
      return (b & c) | (~b & d);
    case 1:
      return (d & b) | (~d & c);
    case 2:
      return b ^ c ^ d;
    default:
      return c ^ (b | ~d);
  }
}

std::size_t word_index(std::size_t round, std::size_t step) {
  constexpr std::array<std::size_t, 4> kFactor = {1, 5, 3, 7};
  constexpr std::array<std::size_t, 4> kOffset = {0, 1, 5, 0};
  return (kFactor[round] * step + kOffset[round]) % 16;
}

void add_block(State& state, const std::byte* block) {
  std::array<std::uint32_t, 16> words;
  std::memcpy(words.data(), block, kBlockBytes);
  auto [a, b, c, d] = state;
  for (std::size_t step = 0; step < 64; ++step) {
    std::size_t round = step / 16;
    std::uint32_t sum =
        a + mix(round, b, c, d) + sine_table()[step] + words[word_index(round, step)];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kRotations[round][step % 4]);
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
}

}  // namespace

Md5 md5(std::span<const std::byte> bytes) {
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  std::size_t whole = bytes.size() / kBlockBytes * kBlockBytes;
  for (std::size_t at = 0; at < whole; at += kBlockBytes)
    add_block(state, bytes.data() + at);

  // The remaining bytes, a single one bit, zeros, and the length in bits fill one or two more
  // blocks.
  std::array<std::byte, 2 * kBlockBytes> tail{};
  std::size_t rest = bytes.size() - whole;
  if (rest > 0) std::memcpy(tail.data(), bytes.data() + whole, rest);
  tail[rest] = std::byte{0x80};
  std::size_t tail_bytes = rest < kBlockBytes - kLengthBytes ? kBlockBytes : 2 * kBlockBytes;
  std::uint64_t bits = std::uint64_t{bytes.size()} * 8;
  std::memcpy(tail.data() + tail_bytes - kLengthBytes, &bits, kLengthBytes);
  for (std::size_t at = 0; at < tail_bytes; at += kBlockBytes)
    add_block(state, tail.data() + at);

  return std::bit_cast<Md5>(state);
}

Md5 md5(std::string_view text) {
  return md5(std::as_bytes(std::span(text.data(), text.size())));
}

std::uint32_t digest_mod(const Md5& digest, std::uint32_t modulus) {
  assert(modulus != 0);
  std::uint64_t rest = 0;
  for (std::uint8_t byte : digest)
    rest = (rest << 8 | byte) % modulus;
  return static_cast<std::uint32_t>(rest);
}

std::uint32_t leading_word(const Md5& digest) {
  return std::uint32_t{digest[0]} << 24 | std::uint32_t{digest[1]} << 16 |
         std::uint32_t{digest[2]} << 8 | digest[3];
}

}  // namespace meshwright
