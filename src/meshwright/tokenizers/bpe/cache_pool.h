// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "meshwright/tokenizers/bpe/bpe_cache.h"

namespace meshwright::tokenizers {

/// Lends caches to threads, and keeps at most kMost that are not lent. Thread-safe.
class CachePool {
 public:
  static constexpr std::size_t kMost = 16;

  CachePool() = default;
  ~CachePool() {
    for (auto& slot : slots_)
      delete slot.cache.load();
  }
  CachePool(const CachePool&) = delete;
  CachePool& operator=(const CachePool&) = delete;

  /// Returns the cache of the slot that this thread shares with few others, or a new one.
  std::unique_ptr<BpeCache> take();
  void give_back(std::unique_ptr<BpeCache> cache);

 private:
  struct alignas(64) Slot {
    std::atomic<BpeCache*> cache = nullptr;
  };

  std::array<Slot, kMost> slots_;
};

}  // namespace meshwright::tokenizers
