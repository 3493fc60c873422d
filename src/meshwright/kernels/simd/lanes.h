// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meshwright::kernels {

/// Number of floats in the widest vector. Rows of scratch arrays are padded to a multiple of this.
inline constexpr std::int64_t kLanes = 16;

constexpr std::int64_t padded(std::int64_t size) {
  return (size + kLanes - 1) / kLanes * kLanes;
}

}  // namespace meshwright::kernels
