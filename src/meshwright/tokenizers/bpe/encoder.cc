// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/encoder.h"

#include <algorithm>
#include <cstring>

namespace meshwright::tokenizers {

void ByteBpe::Encoder::take(std::span<const std::string_view> words) {
  std::array<WordKey, kBatch> keys;
  std::array<std::uint64_t, kBatch> hashes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    keys[i] = key_of(words[i], end_);
    hashes[i] = keys[i].hash();
    cache_.prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    // Without a branch, which would often be mispredicted.
    const BpeCache::Entry& entry = cache_.at(keys[i], hashes[i]);
    const void* slot = parts_.index.slot(hashes[i]);
    __builtin_prefetch(entry.key == keys[i] ? &entry : slot);
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const BpeCache::Entry& entry = cache_.at(keys[i], hashes[i]);
    if (entry.key == keys[i] && entry.is_inline()) [[likely]] {
      std::memcpy(next_, entry.ids.data(), sizeof(entry.ids));
      next_ += entry.count;
    } else {
      encode_rare(words[i], keys[i], hashes[i], entry);
    }
  }
  empty_buffer();
}

// Encodes a word that is new, long or has many tokens.
void ByteBpe::Encoder::encode_rare(std::string_view word,
                                   const WordKey& key,
                                   std::uint64_t hash,
                                   const BpeCache::Entry& entry) {
  if (entry.key == key) {
    const std::span<const Id> known = cache_.tokens(entry, word);
    if (!known.empty()) return append(known);
  }
  const Id whole = parts_.whole(word, key);
  if (word.size() > BpeCache::kMostBytes) {
    empty_buffer();
    return whole != kNoId ? ids_.push_back(whole) : parts_.merger.append(word, ids_);
  }
  std::array<Id, BpeCache::kMostBytes> tokens;
  tokens[0] = whole;
  const std::size_t count = whole != kNoId ? 1 : parts_.merger.encode_short(word, tokens.data());
  const std::span<const Id> found = std::span(tokens).first(count);
  append(found);
  if (count != 0) cache_.insert(word, key, hash, found);
}

void ByteBpe::Encoder::append(std::span<const Id> ids) {
  if (ids.size() > kRoom) {
    empty_buffer();
    ids_.insert(ids_.end(), ids.begin(), ids.end());
  } else {
    next_ = std::ranges::copy(ids, next_).out;
  }
}

void ByteBpe::Encoder::empty_buffer() {
  ids_.insert(ids_.end(), buffer_.data(), next_);
  next_ = buffer_.data();
}

}  // namespace meshwright::tokenizers
