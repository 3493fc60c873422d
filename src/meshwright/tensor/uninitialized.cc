// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/uninitialized.h"

#include <cstdlib>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace meshwright {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kLargePage = std::size_t{2} << 20;

std::shared_ptr<std::byte> memory_of(std::size_t num_bytes) {
  // For smaller blocks, rounding up would waste too much.
  const bool is_large = num_bytes >= 4 * kLargePage;
  const std::size_t alignment = is_large ? kLargePage : kCacheLine;
  const std::size_t rounded = (num_bytes + alignment) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
#if defined(__linux__)
  // Only a hint. Without it, the system maps 4 KiB pages, each with a page fault.
  if (is_large) ::madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return {static_cast<std::byte*>(memory), [](std::byte* p) { std::free(p); }};
}

}  // namespace

HostTensor uninitialized_tensor(ArrayType type) {
  auto num_bytes = static_cast<std::size_t>(type.num_bytes());
  return {std::move(type), memory_of(num_bytes)};
}

}  // namespace meshwright
