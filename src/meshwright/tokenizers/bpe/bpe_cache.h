// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/word_key.h"

namespace meshwright::tokenizers {

/// Remembers the tokens of words. Grows with the number of different words to at most 12 MiB; then
/// new words replace older ones. For one thread.
class BpeCache {
 public:
  /// Longer words are not remembered.
  static constexpr std::size_t kMostBytes = 128;
  static constexpr std::size_t kInline = 3;

  /// 32 bytes, so that a cache line has two.
  struct Entry {
    WordKey key = {};
    std::array<Id, kInline> ids = {};  // or the position in the pool of the ids and a long word
    std::uint32_t count = 0;

    bool is_inline() const { return count <= kInline && key.holds_bytes(); }
  };

  BpeCache();

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&buckets_[hash >> shift_]); }

  /// Returns the entry of a key, which may be that of another long word, or an entry with another
  /// key. `hash` is that of `key`.
  const Entry& at(const WordKey& key, std::uint64_t hash) const {
    const Bucket& bucket = buckets_[hash >> shift_];
    return bucket[bucket[0].key == key ? 0 : 1];
  }
  /// Returns the tokens in an entry with the key of `word`; no tokens if they are of another word.
  /// Valid until the next insert().
  std::span<const Id> tokens(const Entry& entry, std::string_view word) const;

  void insert(std::string_view word,
              const WordKey& key,
              std::uint64_t hash,
              std::span<const Id> ids);

 private:
  using Bucket = std::array<Entry, 2>;

  void add(const Entry& entry, std::uint64_t hash);
  void grow();
  void clear();

  std::vector<Bucket> buckets_;  // a power of two
  int shift_;
  std::size_t inserted_ = 0;  // since the cache has its size
  std::vector<Id> pool_;
};

}  // namespace meshwright::tokenizers
