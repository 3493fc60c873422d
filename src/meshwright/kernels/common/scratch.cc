// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/common/scratch.h"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"

namespace meshwright::kernels {
namespace {

constexpr std::align_val_t kAlignment{64};

thread_local ScratchMemory of_this_thread;

/// Free blocks; at most as many as calls ever ran concurrently.
class Store {
 public:
  /// Returns the smallest block that is large enough, otherwise the largest, which then grows.
  ScratchMemory take(std::int64_t num_floats) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    auto found = std::ranges::min_element(free_, {}, [&](const ScratchMemory& memory) {
      return memory.size() >= num_floats ? std::pair{0, memory.size()}
                                         : std::pair{1, -memory.size()};
    });
    ScratchMemory out = std::move(*found);
    free_.erase(found);
    return out;
  }

  void put(ScratchMemory memory) {
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(memory));
  }

 private:
  std::mutex mutex_;
  std::vector<ScratchMemory> free_;
};

Store& store() {
  static auto* const all = new Store;  // calls may end after main
  return *all;
}

}  // namespace

void ScratchMemory::Deallocate::operator()(float* memory) const {
  ::operator delete(memory, kAlignment);
}

float* ScratchMemory::at_least(std::int64_t num_floats) {
  if (num_floats > size_) {
    memory_.reset();
    size_ = 0;
    auto num_bytes = static_cast<std::size_t>(num_floats) * sizeof(float);
    memory_.reset(static_cast<float*>(::operator new(num_bytes, kAlignment)));
    size_ = num_floats;
  }
  return memory_.get();
}

float* ScratchParts::take(std::int64_t num_floats) {
  float* out = next_;
  MW_CHECK(num_floats <= end_ - next_, "kernel scratch: ", num_floats, " floats requested, ",
           end_ - next_, " left");
  next_ += num_floats;
  return out;
}

Scratch::Scratch(std::int64_t num_floats)
    : ScratchParts(of_this_thread.at_least(num_floats), num_floats) {}

SharedScratch::SharedScratch(std::int64_t num_floats)
    : memory_(store().take(num_floats)), parts_(memory_.at_least(num_floats), num_floats) {}

SharedScratch::~SharedScratch() {
  store().put(std::move(memory_));
}

}  // namespace meshwright::kernels
