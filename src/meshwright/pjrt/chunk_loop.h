// SPDX-License-Identifier: Apache-2.0
// Not for other folders.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace meshwright::pjrt {

/// Chunks of work that threads claim one after the other. The thread that needs the result claims
/// too, so it gets done even if no other thread ever comes. Owned by all who may still look at it.
class ChunkLoop {
 public:
  using Body = void (*)(const void* arg, std::int64_t chunk);

  /// Memory of loops that ended, where there is some: a training step has hundreds of loops.
  static void* operator new(std::size_t size);
  static void operator delete(void* memory) noexcept;

  /// Owned by the caller.
  static ChunkLoop* create(std::int64_t num_chunks, Body body, const void* arg) {
    return new ChunkLoop(num_chunks, body, arg);
  }
  /// One owner more, or less; the last one deletes it.
  void ref() { owners_.fetch_add(1, std::memory_order_release); }
  void unref();

  /// Runs chunks until none is left to claim.
  void work() noexcept;
  /// Waits for those that other threads claimed; call after work(). Throws the first exception.
  void finish();

 private:
  ChunkLoop(std::int64_t num_chunks, Body body, const void* arg)
      : num_chunks_(num_chunks), body_(body), arg_(arg) {}

  const std::int64_t num_chunks_;
  const Body body_;
  const void* const arg_;  // gone when finish() returned: touched only for a claimed chunk
  std::atomic<int> owners_ = 1;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr error_;  // written by the thread that set has_failed_, before its done_
};

}  // namespace meshwright::pjrt
