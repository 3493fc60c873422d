// SPDX-License-Identifier: Apache-2.0
// Memory for what a kernel needs in between. It is kept, so that a training step allocates nothing
// after the first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace meshwright::kernels {

/// Aligned to 64 bytes.
class ScratchMemory {
 public:
  /// At least so many floats; what was there is lost where that is more than before.
  float* at_least(std::int64_t num_floats);
  std::int64_t size() const { return size_; }

 private:
  struct Deallocate {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float, Deallocate> memory_;
  std::int64_t size_ = 0;
};

/// Hands out what was asked for at first, part after part.
class ScratchParts {
 public:
  ScratchParts(float* memory, std::int64_t num_floats) : next_(memory), end_(memory + num_floats) {}

  /// The next part; its address is a multiple of 64 bytes if all sizes are multiples of kLanes.
  float* take(std::int64_t num_floats);

 private:
  float* next_;
  float* end_;
};

/// Memory of this thread: room for so many floats in all; what an earlier Scratch of this thread
/// gave is lost.
class Scratch : public ScratchParts {
 public:
  explicit Scratch(std::int64_t num_floats);
};

/// Memory that the tasks of one call of a kernel share. Goes back to a store of the process.
class SharedScratch {
 public:
  explicit SharedScratch(std::int64_t num_floats);
  ~SharedScratch();
  SharedScratch(const SharedScratch&) = delete;
  SharedScratch& operator=(const SharedScratch&) = delete;

  float* take(std::int64_t num_floats) { return parts_.take(num_floats); }

 private:
  ScratchMemory memory_;
  ScratchParts parts_;
};

}  // namespace meshwright::kernels
