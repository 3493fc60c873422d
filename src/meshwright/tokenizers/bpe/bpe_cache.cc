// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/bpe_cache.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace meshwright::tokenizers {
namespace {

constexpr std::size_t kFirstBuckets = 1 << 10, kMostBuckets = 1 << 17;
constexpr std::size_t kPoolSize = 1 << 20;

}  // namespace

BpeCache::BpeCache() : buckets_(kFirstBuckets), shift_(64 - 10) {}

std::span<const Id> BpeCache::tokens(const Entry& entry, std::string_view word) const {
  if (entry.is_inline()) return {entry.ids.data(), entry.count};
  const Id* ids = pool_.data() + entry.ids[0];
  if (!entry.key.holds_bytes() && std::memcmp(ids + entry.count, word.data(), word.size()) != 0)
    return {};
  return {ids, entry.count};
}

void BpeCache::insert(std::string_view word,
                      const WordKey& key,
                      std::uint64_t hash,
                      std::span<const Id> ids) {
  Entry entry{key, {}, static_cast<std::uint32_t>(ids.size())};
  if (entry.is_inline()) {
    std::ranges::copy(ids, entry.ids.begin());
  } else {
    const std::size_t bytes = key.holds_bytes() ? 0 : word.size();
    const std::size_t size = ids.size() + (bytes + sizeof(Id) - 1) / sizeof(Id);
    if (pool_.size() + size > kPoolSize) clear();
    const std::size_t at = pool_.size();
    entry.ids[0] = static_cast<Id>(at);
    pool_.resize(at + size);
    std::ranges::copy(ids, pool_.data() + at);
    std::memcpy(pool_.data() + at + ids.size(), word.data(), bytes);
  }
  if (++inserted_ > buckets_.size() && buckets_.size() < kMostBuckets) grow();
  add(entry, hash);
}

// Forgets the older entry of the bucket.
void BpeCache::add(const Entry& entry, std::uint64_t hash) {
  Bucket& bucket = buckets_[hash >> shift_];
  bucket[1] = bucket[0];
  bucket[0] = entry;
}

void BpeCache::grow() {
  std::vector<Bucket> old(4 * buckets_.size());
  std::swap(old, buckets_);
  shift_ -= 2;
  inserted_ = 0;
  for (const Bucket& bucket : old)
    for (const std::size_t i : {1, 0})
      if (bucket[i].count != 0) add(bucket[i], bucket[i].key.hash());
}

void BpeCache::clear() {
  std::ranges::fill(buckets_, Bucket{});
  pool_.clear();
}

}  // namespace meshwright::tokenizers
