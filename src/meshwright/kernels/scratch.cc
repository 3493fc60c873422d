// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/scratch.h"

#include <memory>
#include <new>

#include "meshwright/base/check.h"

namespace meshwright::kernels {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Deallocate {
  void operator()(float* memory) const { ::operator delete(memory, kAlignment); }
};

struct ThreadMemory {
  std::unique_ptr<float, Deallocate> memory;
  std::int64_t size = 0;

  float* at_least(std::int64_t num_floats) {
    if (num_floats > size) {
      memory.reset();
      size = 0;
      auto num_bytes = static_cast<std::size_t>(num_floats) * sizeof(float);
      memory.reset(static_cast<float*>(::operator new(num_bytes, kAlignment)));
      size = num_floats;
    }
    return memory.get();
  }
};

thread_local ThreadMemory of_this_thread;

}  // namespace

Scratch::Scratch(std::int64_t num_floats)
    : next_(of_this_thread.at_least(num_floats)), end_(next_ + num_floats) {}

float* Scratch::take(std::int64_t num_floats) {
  float* out = next_;
  MW_CHECK(num_floats <= end_ - next_, "kernel scratch: ", num_floats, " floats asked for, ",
           end_ - next_, " left");
  next_ += num_floats;
  return out;
}

}  // namespace meshwright::kernels
