// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"

namespace meshwright::tokenizers {

/// A bounded cache of short words and their ids, for one thread. An entry is one cache line; a
/// new word replaces the older of the two with the same slot.
class WordCache {
 public:
  static constexpr std::size_t kMaxBytes = 28;  // of a word that can be cached
  static constexpr std::size_t kMaxIds = 6;
  static constexpr std::size_t kPadding = 32;  // readable bytes that must follow a word

  explicit WordCache(int log2_entries = 16) : entries_(std::size_t{1} << log2_entries) {}

  /// A word of at most kMaxBytes bytes, padded with zeros. The length is the last byte.
  using Key = std::array<std::uint64_t, 4>;
  /// `word` must be followed by kPadding readable bytes.
  static Key key(std::string_view word) {
    static_assert(std::endian::native == std::endian::little);
    Key key;
    std::memcpy(key.data(), word.data(), sizeof key);
    for (std::size_t i = 0; i < key.size(); ++i)
      key[i] &= mask(word.size() > 8 * i ? word.size() - 8 * i : 0);
    key[3] |= std::uint64_t{word.size()} << 56;
    return key;
  }

  struct alignas(64) Entry {
    Key key = {};
    std::array<Id, kMaxIds> ids = {};
    std::int32_t num_ids = 0;
    float limit = 0;  // set and used by the model

    std::span<const Id> view() const { return {ids.data(), static_cast<std::size_t>(num_ids)}; }
  };

  /// Returns the entry of a word, or null.
  const Entry* find(const Key& key) const {
    const Entry* pair = &entries_[slot(key)];
    if (pair[0].key == key) return pair;
    return pair[1].key == key ? pair + 1 : nullptr;
  }

  /// Returns the new entry. `ids` must have at most kMaxIds elements.
  const Entry* insert(const Key& key, std::span<const Id> ids, float limit) {
    Entry* pair = &entries_[slot(key)];
    pair[1] = pair[0];
    pair[0].key = key;
    std::copy(ids.begin(), ids.end(), pair[0].ids.begin());
    pair[0].num_ids = static_cast<std::int32_t>(ids.size());
    pair[0].limit = limit;
    return pair;
  }

 private:
  static std::uint64_t mask(std::size_t bytes) {
    return bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
  }

  std::size_t slot(const Key& key) const {
    const std::uint64_t a = mix(key[0] ^ 0x9e3779b97f4a7c15u, key[1] ^ 0xbf58476d1ce4e5b9u);
    const std::uint64_t b = mix(key[2] ^ 0x94d049bb133111ebu, key[3] ^ 0xd6e8feb86659fd93u);
    return mix(a ^ b, 0x9e3779b97f4a7c15u) & (entries_.size() - 2);
  }

  static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::vector<Entry> entries_;
};

}  // namespace meshwright::tokenizers
