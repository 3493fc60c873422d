// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/bpe/cache_pool.h"
#include "meshwright/tokenizers/core/word_key.h"
#include "meshwright/tokenizers/split/word_model.h"

namespace meshwright::tokenizers {

/// Encodes words through a cache. `EncodeNew` appends the ids of a word that is not in the cache:
/// void(std::string_view word, std::vector<Id>& ids).
template <typename EncodeNew>
class CachedWords final : public WordSink {
 public:
  CachedWords(BpeCache& cache, std::vector<Id>& ids, EncodeNew encode_new)
      : cache_(cache), ids_(ids), encode_new_(std::move(encode_new)) {}

 private:
  void take(std::span<const std::string_view> words) override {
    if (words.empty()) return;
    const char* end = words.back().data() + words.back().size();
    std::array<WordKey, kBatch> keys;
    std::array<std::uint64_t, kBatch> hashes;
    for (std::size_t i = 0; i < words.size(); ++i) {
      keys[i] = key_of(words[i], end);
      hashes[i] = keys[i].hash();
      cache_.prefetch(hashes[i]);
    }
    for (std::size_t i = 0; i < words.size(); ++i)
      encode(words[i], keys[i], hashes[i]);
  }

  void encode(std::string_view word, const WordKey& key, std::uint64_t hash) {
    const BpeCache::Entry& entry = cache_.at(key, hash);
    if (entry.key == key) {
      const std::span<const Id> known = cache_.tokens(entry, word);
      if (!known.empty()) {
        ids_.insert(ids_.end(), known.begin(), known.end());
        return;
      }
    }
    const std::size_t before = ids_.size();
    encode_new_(word, ids_);
    if (word.size() <= BpeCache::kMostBytes && ids_.size() != before)
      cache_.insert(word, key, hash, std::span<const Id>(ids_).subspan(before));
  }

  BpeCache& cache_;
  std::vector<Id>& ids_;
  EncodeNew encode_new_;
};

/// Appends the ids of the words of `source`, with a cache of `pool`.
template <typename EncodeNew>
void encode_cached(CachePool& pool,
                   const WordSource& source,
                   std::vector<Id>& ids,
                   EncodeNew encode_new) {
  std::unique_ptr<BpeCache> cache = pool.take();
  CachedWords<EncodeNew> words(*cache, ids, std::move(encode_new));
  source(words);
  words.flush();
  pool.give_back(std::move(cache));
}

}  // namespace meshwright::tokenizers
