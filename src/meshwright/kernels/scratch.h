// SPDX-License-Identifier: Apache-2.0
// Memory for what a kernel needs in between. Each thread keeps its own, so that a training step
// allocates nothing after the first one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

class Scratch {
 public:
  /// Room for so many floats in all; what an earlier Scratch of this thread gave is lost.
  explicit Scratch(std::int64_t num_floats);

  /// The next part; its address is a multiple of 64 bytes if all sizes are multiples of kLanes.
  float* take(std::int64_t num_floats);

 private:
  float* next_;
  float* end_;
};

}  // namespace meshwright::kernels
