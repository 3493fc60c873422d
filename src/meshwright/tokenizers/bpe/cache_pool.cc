// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/cache_pool.h"

namespace meshwright::tokenizers {
namespace {

std::size_t slot_of_this_thread() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t mine = threads++;
  return mine % CachePool::kMost;
}

}  // namespace

std::unique_ptr<BpeCache> CachePool::take() {
  BpeCache* cache = slots_[slot_of_this_thread()].cache.exchange(nullptr);
  return cache != nullptr ? std::unique_ptr<BpeCache>(cache) : std::make_unique<BpeCache>();
}

void CachePool::give_back(std::unique_ptr<BpeCache> cache) {
  delete slots_[slot_of_this_thread()].cache.exchange(cache.release());
}

}  // namespace meshwright::tokenizers
