// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// The threshold below which elements are kept, and the factor that scales them.
struct Stay {
  std::uint32_t least_dropped;  ///< threshold for the 23 high bits of a word
  float factor;
};

/// Scales and copies kept elements, and zeros the others. `bits` has one random word per element
/// and is padded to whole vectors. `out` may equal `x`.
void drop_elements(
    const Stay& stay, const std::uint32_t* bits, const float* x, std::int64_t size, float* out);
void drop_elements(const Stay& stay,
                   const std::uint32_t* bits,
                   const BFloat16* x,
                   std::int64_t size,
                   BFloat16* out);

}  // namespace meshwright::kernels
