// SPDX-License-Identifier: Apache-2.0
// Scratch memory for intermediate results of kernels. It is reused, so training steps after the
// first allocate nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace meshwright::kernels {

/// A growable buffer, aligned to 64 bytes.
class ScratchMemory {
 public:
  /// Returns memory for at least `num_floats` floats. Discards the contents if it must grow.
  float* at_least(std::int64_t num_floats);
  std::int64_t size() const { return size_; }

 private:
  struct Deallocate {
    void operator()(float* memory) const;
  };
  std::unique_ptr<float, Deallocate> memory_;
  std::int64_t size_ = 0;
};

/// Hands out consecutive parts of a buffer.
class ScratchParts {
 public:
  ScratchParts(float* memory, std::int64_t num_floats) : next_(memory), end_(memory + num_floats) {}

  /// Returns the next part, aligned to 64 bytes if all sizes are multiples of kLanes. Throws if the
  /// buffer is exhausted.
  float* take(std::int64_t num_floats);

 private:
  float* next_;
  float* end_;
};

/// Thread-local memory for `num_floats` floats in total. Invalidates the parts of any earlier
/// Scratch of this thread.
class Scratch : public ScratchParts {
 public:
  explicit Scratch(std::int64_t num_floats);
};

/// Memory that the tasks of one kernel call share. Returned to a process-wide pool on destruction.
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
