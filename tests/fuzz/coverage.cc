// SPDX-License-Identifier: Apache-2.0
#include "coverage.h"

#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kNumSlots = std::size_t{1} << 16;
bool seen[kNumSlots];
bool found_new = false;
std::uintptr_t before = 0;

}  // namespace

// The order of two places counts, not only that both ran. The name is gcc's.
// NOLINTNEXTLINE(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" void __sanitizer_cov_trace_pc() {
  auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uintptr_t edge = (here ^ (before << 1)) * 0x9E3779B97F4A7C15u;
  bool& slot = seen[edge >> 48];
  found_new = found_new || !slot;
  slot = true;
  before = here;
}

namespace meshwright::fuzz {

bool take_new_coverage() {
  bool taken = found_new;
  found_new = false;
  before = 0;
  return taken;
}

}  // namespace meshwright::fuzz
