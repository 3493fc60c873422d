// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace meshwright {

/// Converts seconds to a duration for a timed wait, clamped to [0, ten years]. Clocks count
/// nanoseconds in 63 bits: without a bound, `inf` and very large numbers would overflow into the
/// past.
inline std::chrono::nanoseconds wait_time(double seconds) {
  constexpr double kMaxSeconds = 10 * 365.25 * 24 * 3600;
  const double bounded = seconds > 0 ? std::min(seconds, kMaxSeconds) : 0;  // NaN becomes 0
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(bounded));
}

}  // namespace meshwright
