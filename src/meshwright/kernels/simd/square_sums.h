// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// The sum of (factor x factors)^2, whose terms are also added to `sums`. Null: ones, and nowhere.
float add_squares(
    const float* x, const float* factors, float factor, std::int64_t size, float* sums);
float add_squares(
    const BFloat16* x, const float* factors, float factor, std::int64_t size, float* sums);

}  // namespace meshwright::kernels
