// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace meshwright::tokenizers {

/// Lends working memory to threads and keeps it for the next call, so that const functions of a
/// shared object allocate only when more threads call them than ever before. Thread-safe.
template <typename T>
class SparePool {
 public:
  class Lease {
   public:
    Lease(SparePool& pool, std::unique_ptr<T> object) : pool_(pool), object_(std::move(object)) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
      const std::lock_guard lock(pool_.mutex_);
      pool_.spare_.push_back(std::move(object_));
    }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    SparePool& pool_;
    std::unique_ptr<T> object_;
  };

  /// Returns a spare object, or the result of `make()`, a std::unique_ptr<T>.
  template <typename Make>
  Lease take(const Make& make) {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<T> object = std::move(spare_.back());
        spare_.pop_back();
        return Lease(*this, std::move(object));
      }
    }
    return Lease(*this, make());
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> spare_;
};

}  // namespace meshwright::tokenizers
