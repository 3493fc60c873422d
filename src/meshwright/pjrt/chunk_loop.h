// SPDX-License-Identifier: Apache-2.0
// Internal to pjrt/.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace meshwright::pjrt {

/// Chunks of work that threads claim one at a time. The thread that needs the result claims chunks
/// too, so the loop completes even without other threads. Reference-counted by all threads that may
/// access it.
class ChunkLoop {
 public:
  using Body = void (*)(const void* arg, std::int64_t chunk);

  /// Reuses the memory of finished loops, since a training step runs hundreds of loops.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;

  /// Returns a loop owned by the caller.
  static ChunkLoop* create(std::int64_t num_chunks, Body body, const void* arg) {
    return new ChunkLoop(num_chunks, body, arg);
  }
  /// Adds an owner; unref() drops one, and dropping the last one deletes the loop.
  void ref() { owners_.fetch_add(1, std::memory_order_release); }
  void unref();

  /// Runs chunks until all are claimed.
  void work() noexcept;
  /// Waits for the chunks that other threads claimed. Call this after work(). Rethrows the
  /// first exception of a chunk, if any.
  void finish();

 private:
  ChunkLoop(std::int64_t num_chunks, Body body, const void* arg)
      : num_chunks_(num_chunks), body_(body), arg_(arg) {}

  const std::int64_t num_chunks_;
  const Body body_;
  const void* const arg_;  // invalid after finish(): used only for claimed chunks
  std::atomic<int> owners_ = 1;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> has_failed_ = false;
  // written by the thread that set has_failed_, before it increments done_
  std::exception_ptr error_;
};

}  // namespace meshwright::pjrt
