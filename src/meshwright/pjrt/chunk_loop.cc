// SPDX-License-Identifier: Apache-2.0
#include "meshwright/pjrt/chunk_loop.h"

namespace meshwright::pjrt {

void ChunkLoop::unref() {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void ChunkLoop::work() noexcept {
  // Pairs with ref(): the plugin orders its tasks too, but invisibly for ThreadSanitizer.
  (void)owners_.load(std::memory_order_acquire);
  for (std::int64_t chunk = next_++; chunk < num_chunks_; chunk = next_++) {
    try {
      body_(arg_, chunk);
    } catch (...) {
      if (!has_failed_.exchange(true)) error_ = std::current_exception();
    }
    // The last one wakes the waiting thread, for which body and arg end then.
    if (done_.fetch_add(1) + 1 == num_chunks_) done_.notify_all();
  }
}

void ChunkLoop::finish() {
  for (std::int64_t done = done_; done < num_chunks_; done = done_)
    done_.wait(done);
  if (has_failed_) std::rethrow_exception(error_);
}

}  // namespace meshwright::pjrt
