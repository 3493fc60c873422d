// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/resident_memory.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace meshwright {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

// Bypasses the allocator, which may keep freed memory.
void use_and_give_back(std::size_t num_bytes) {
  void* memory =
      mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, num_bytes);
  munmap(memory, num_bytes);
}

TEST(ResidentMemory, CountsThePeakFromWhereItWasRestarted) {
  const std::optional<ResidentMemory> first = find_resident_memory();
  if (!first) GTEST_SKIP() << "the kernel does not tell";
  EXPECT_GE(first->peak_bytes, first->now_bytes);
  restart_resident_peak();
  const std::int64_t before = find_resident_memory()->now_bytes;
  use_and_give_back(64 * kMiB);
  const std::optional<ResidentMemory> after = find_resident_memory();
  EXPECT_GE(after->peak_bytes, before + 60 * kMiB);
  restart_resident_peak();
  EXPECT_LE(find_resident_memory()->peak_bytes, before + 32 * kMiB);
}

}  // namespace
}  // namespace meshwright
