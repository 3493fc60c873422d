// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// Converts elements. Rounds to nearest even and preserves NaN.
void convert(const BFloat16* from, std::int64_t count, float* to);
void convert(const float* from, std::int64_t count, BFloat16* to);
void convert(const float* from, std::int64_t count, float* to);

}  // namespace meshwright::kernels
