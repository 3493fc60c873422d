// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/chunk_loop.h"

#include <cstring>
#include <mutex>
#include <new>

namespace meshwright::pjrt {
namespace {

/// A free list of blocks of one size. Each block stores the address of the next one in its first
/// bytes.
class FreeBlocks {
 public:
  void* take() {
    const std::lock_guard lock(mutex_);
    void* block = first_;
    if (block != nullptr) std::memcpy(&first_, block, sizeof(first_));
    return block;
  }
  void give(void* block) {
    const std::lock_guard lock(mutex_);
    std::memcpy(block, &first_, sizeof(first_));
    first_ = block;
  }

 private:
  std::mutex mutex_;
  void* first_ = nullptr;
};

// Never destroyed: a thread of the plugin may return its block after main() has ended.
FreeBlocks& free_blocks() {
  static FreeBlocks& blocks = *new FreeBlocks;
  return blocks;
}

}  // namespace

void* ChunkLoop::operator new(std::size_t size) {
  void* block = free_blocks().take();
  return block != nullptr ? block : ::operator new(size);
}

void ChunkLoop::operator delete(void* memory) noexcept {
  free_blocks().give(memory);
}

void ChunkLoop::unref() {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void ChunkLoop::work() noexcept {
  // Pairs with ref(): the plugin orders its tasks too, but ThreadSanitizer cannot see that.
  (void)owners_.load(std::memory_order_acquire);
  for (std::int64_t chunk = next_++; chunk < num_chunks_; chunk = next_++) {
    try {
      body_(arg_, chunk);
    } catch (...) {
      if (!has_failed_.exchange(true)) error_ = std::current_exception();
    }
    // The last chunk wakes the waiting thread, after which body and arg are invalid.
    if (done_.fetch_add(1) + 1 == num_chunks_) done_.notify_all();
  }
}

void ChunkLoop::finish() {
  for (std::int64_t done = done_; done < num_chunks_; done = done_)
    done_.wait(done);
  if (has_failed_) std::rethrow_exception(error_);
}

}  // namespace meshwright::pjrt
