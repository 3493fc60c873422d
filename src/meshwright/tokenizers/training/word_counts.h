// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/core/word_key.h"

namespace meshwright::tokenizers {

/// Counts words. Memory: 32 bytes for each different word in a table that is at most 3/4 full, and
/// the bytes of words of more than 15 bytes.
class WordCounts {
 public:
  WordCounts();

  /// Counts each word once. Words must not be empty. The bytes up to `end`, which is not before the
  /// end of any word, can be read.
  void add(std::span<const std::string_view> words, const char* end);
  void add(std::string_view word, std::int64_t count);
  void add(const WordCounts& other);

  /// Returns the number of different words.
  std::size_t size() const { return size_; }
  /// Calls `use(word, count)` with each word, in no particular order. A word is valid during the
  /// call.
  template <typename Use>
  void for_each(const Use& use) const {
    for (const Slot& slot : slots_)
      if (slot.count > 0) use(word_of(slot), slot.count);
  }

 private:
  struct Slot {
    WordKey key = {0, 0};
    const char* bytes = nullptr;  // of a word that the key does not hold
    std::int64_t count = 0;       // 0: the slot is free
  };

  static std::string_view word_of(const Slot& slot);
  void add(const WordKey& key, std::string_view word, std::int64_t count);
  Slot& find(const WordKey& key, std::string_view word);
  void grow();
  const char* stored(std::string_view word);

  std::vector<Slot> slots_;  // a power of two
  int shift_;                // of hashes, to numbers of slots
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<char[]>> chunks_;  // of the bytes of long words
  std::size_t chunk_left_ = 0;                   // bytes that are free in the last chunk
  char* chunk_at_ = nullptr;                     // the first of them
};

}  // namespace meshwright::tokenizers
