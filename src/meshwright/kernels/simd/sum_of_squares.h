// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meshwright::kernels {

/// Of so many numbers.
float sum_of_squares_in(const float* x, std::int64_t size);

}  // namespace meshwright::kernels
