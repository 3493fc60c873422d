// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdio>
#include <ctime>

namespace meshwright::bench {

/// Returns the CPU time of the process, or of the thread with CLOCK_THREAD_CPUTIME_ID.
inline double cpu_seconds(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Measures from its construction on.
class Clock {
 public:
  /// Prints the CPU time of the process and the time that has passed.
  void print() const {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin_;
    std::printf("seconds %.6f\nwall %.6f\n", cpu_seconds() - cpu_begin_, wall.count());
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double cpu_begin_ = cpu_seconds();
};

}  // namespace meshwright::bench
