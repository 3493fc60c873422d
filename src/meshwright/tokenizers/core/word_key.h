// SPDX-License-Identifier: Apache-2.0
// Words as keys of hash tables.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace meshwright::tokenizers {

/// Mixes two words of 64 bits into a hash.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xe7037ed1a0b428db);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// A word of at most 15 bytes: the bytes, zeros, and the length in the last byte. Or the hash and
/// length of a longer word, whose bytes must be compared too.
struct WordKey {
  static constexpr std::size_t kMostBytes = 15;
  static constexpr std::uint64_t kLong = std::uint64_t{0xff} << 56;

  std::uint64_t low, high;  // not initialized, because batches of keys are overwritten at once

  /// Compares without a branch.
  bool operator==(const WordKey& other) const {
    return ((low ^ other.low) | (high ^ other.high)) == 0;
  }
  bool holds_bytes() const { return high < kLong; }
  std::uint64_t hash() const { return mix(low, high); }
};

/// Returns the hash of any number of bytes.
inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::array<std::uint64_t, 2> words{};
    const std::size_t size = bytes.size() < sizeof(words) ? bytes.size() : sizeof(words);
    std::memcpy(words.data(), bytes.data(), size);
    hash = mix(words[0] ^ hash, words[1]);
    bytes.remove_prefix(size);
  }
  return hash;
}

inline WordKey long_key(std::string_view word) {
  return {hash_bytes(word), WordKey::kLong | word.size()};
}

static_assert(std::endian::native == std::endian::little);

/// Returns the key of a word. At least 16 bytes can be read from its start if `end`, which is not
/// before the end of the word, allows.
inline WordKey key_of(std::string_view word, const char* end) {
  static constexpr auto kMasks = [] {
    std::array<WordKey, WordKey::kMostBytes + 1> masks{};
    for (std::size_t i = 1; i < masks.size(); ++i) {
      masks[i] = masks[i - 1];
      std::uint64_t& half = i <= 8 ? masks[i].low : masks[i].high;
      half = half << 8 | 0xff;
    }
    return masks;
  }();
  if (word.size() > WordKey::kMostBytes) return long_key(word);
  WordKey key{};
  if (end - word.data() >= static_cast<std::ptrdiff_t>(sizeof(key)))
    std::memcpy(&key, word.data(), sizeof(key));
  else
    std::memcpy(&key, word.data(), word.size());
  const WordKey& mask = kMasks[word.size()];
  return {key.low & mask.low, (key.high & mask.high) | std::uint64_t{word.size()} << 56};
}

inline WordKey key_of(std::string_view word) {
  return key_of(word, word.data() + word.size());
}

}  // namespace meshwright::tokenizers
