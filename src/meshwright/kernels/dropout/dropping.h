// SPDX-License-Identifier: Apache-2.0
// Dropout inside kernels. Draws the same bits as the dropout op.
#pragma once

#include <cstdint>

#include "meshwright/base/threefry.h"
#include "meshwright/kernels/simd/dropout.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

class Dropping {
 public:
  /// Keeps each element with this probability.
  Dropping(threefry::KeyWords key, float keep_probability);

  /// Applies dropout to `size` elements, the first of which has index `first` in the whole array.
  /// `out` may equal `x`. T: float or BFloat16.
  template <typename T>
  void drop(std::int64_t first, const T* x, std::int64_t size, T* out) const;

 private:
  threefry::KeyWords key_;
  Stay stay_;
};

/// Reads the key from inputs `first_word` and `first_word + 1`, and the keep probability from
/// attribute `p`.
Dropping dropping_of(const pjrt::KernelCall& call, int first_word);

}  // namespace meshwright::kernels
