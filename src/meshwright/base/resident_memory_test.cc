// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/resident_memory.h"

#include <vector>

#include <gtest/gtest.h>

namespace meshwright {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(ResidentMemory, CountsThePeakFromWhereItWasRestarted) {
  const std::optional<ResidentMemory> first = find_resident_memory();
  if (!first) GTEST_SKIP() << "the kernel does not tell";
  EXPECT_GE(first->peak_bytes, first->now_bytes);
  restart_resident_peak();
  const std::int64_t before = find_resident_memory()->now_bytes;
  { std::vector<char> used(64 * kMiB, 1); }
  const std::optional<ResidentMemory> after = find_resident_memory();
  EXPECT_GE(after->peak_bytes, before + 60 * kMiB);
  restart_resident_peak();
  EXPECT_LE(find_resident_memory()->peak_bytes, after->peak_bytes);
}

}  // namespace
}  // namespace meshwright
