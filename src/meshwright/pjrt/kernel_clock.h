// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/tensor/shape.h"

namespace meshwright::pjrt {

class KernelCall;

struct KernelTime {
  std::string kernel;
  std::vector<ArrayType> inputs;
  std::int64_t calls = 0;
  double seconds = 0;  // total over all calls, each measured until its kernel returned
};

/// For its lifetime, measures the time of all kernels in this process. At most one may exist at a
/// time.
class KernelClock {
 public:
  KernelClock();
  ~KernelClock();
  KernelClock(const KernelClock&) = delete;
  KernelClock& operator=(const KernelClock&) = delete;

  /// Returns one entry per combination of kernel and input types.
  std::vector<KernelTime> times() const;

  /// Measures a call for the lifetime of this object, if a clock exists.
  class Measure {
   public:
    Measure(const KernelCall& call, std::string_view kernel) noexcept;
    ~Measure();
    Measure(const Measure&) = delete;
    Measure& operator=(const Measure&) = delete;

   private:
    const KernelCall& call_;
    std::string_view kernel_;
    bool is_on_;
    std::chrono::steady_clock::time_point begin_;
  };

 private:
  void add(std::string_view kernel, std::vector<ArrayType> inputs, double seconds);
  std::vector<KernelTime> times_;
};

}  // namespace meshwright::pjrt
