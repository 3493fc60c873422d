// SPDX-License-Identifier: Apache-2.0
#include "meshwright/runtime/snapshot_copy.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>

#include "meshwright/base/error.h"
#include "meshwright/base/task_group.h"

namespace meshwright::runtime {

void copy_all(const std::vector<MemoryCopy>& copies, int max_threads) {
  constexpr std::size_t kChunk = std::size_t{4} << 20;
  std::vector<MemoryCopy> chunks;
  for (const MemoryCopy& copy : copies) {
    for (std::size_t at = 0; at < copy.num_bytes; at += kChunk)
      chunks.push_back({copy.from + at, copy.to + at, std::min(kChunk, copy.num_bytes - at)});
  }
  std::atomic<std::size_t> next = 0;
  auto work = [&] {
    for (std::size_t i = next++; i < chunks.size(); i = next++)
      std::memcpy(chunks[i].to, chunks[i].from, chunks[i].num_bytes);
  };
  std::size_t num_bytes = 0;
  for (const MemoryCopy& copy : copies)
    num_bytes += copy.num_bytes;
  const auto num_threads = std::min(num_bytes / kChunk, static_cast<std::size_t>(max_threads));
  if (num_threads < 2) return work();
  TaskGroup threads(static_cast<int>(num_threads));
  for (std::size_t i = 0; i < num_threads; ++i)
    threads.run(work);
  threads.join();
}

void await_all(const std::vector<pjrt::Event>& copies) {
  std::exception_ptr first;
  for (const pjrt::Event& copy : copies) {
    try {
      copy.await(kCopyingToHost);
    } catch (const Error&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace meshwright::runtime
