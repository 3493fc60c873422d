// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// Returns the sum of (factor * x * factors)^2 and adds its terms to `sums`. If `factors` is null,
/// every factor is 1. `sums` may be null.
float add_squares(
    const float* x, const float* factors, float factor, std::int64_t size, float* sums);
float add_squares(
    const BFloat16* x, const float* factors, float factor, std::int64_t size, float* sums);

}  // namespace meshwright::kernels
