// SPDX-License-Identifier: Apache-2.0
// How kernels drop elements.
#pragma once

#include <cstdint>

#include "meshwright/base/threefry.h"
#include "meshwright/kernels/simd/dropout.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

class Dropping {
 public:
  /// Each element stays with probability p.
  Dropping(threefry::Words key, float p);

  /// Elements of an array from `first` on; `out` may be x. T: float or BFloat16.
  template <typename T>
  void drop(std::int64_t first, const T* x, std::int64_t size, T* out) const;

 private:
  threefry::Words key_;
  Stay stay_;
};

/// By the words of a key, which are this input of the call and the next, and its attribute p.
Dropping dropping_of(const pjrt::KernelCall& call, int first_word);

}  // namespace meshwright::kernels
