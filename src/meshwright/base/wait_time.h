// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace meshwright {

/// A number of seconds for a timed wait. Clocks count nanoseconds in 63 bits, so that `inf` and
/// very large numbers would overflow to a time in the past: from ten years on it is ten years.
inline std::chrono::nanoseconds wait_time(double seconds) {
  constexpr double kMaxSeconds = 10 * 365.25 * 24 * 3600;
  const double bounded = seconds > 0 ? std::min(seconds, kMaxSeconds) : 0;  // NaN: 0
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(bounded));
}

}  // namespace meshwright
