// SPDX-License-Identifier: Apache-2.0
// Copies between arrays whose dimensions lie in memory in another order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meshwright {

/// One dimension of what is copied; strides in elements.
struct StridedDim {
  std::int64_t size = 0;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
};

/// Copies elements of 1, 2, 4, 8 or 16 bytes. The two may not overlap. Throws invalid_argument for
/// elements of another size.
void copy_strided(const std::byte* from,
                  std::byte* to,
                  std::vector<StridedDim> dims,
                  std::size_t element_bytes);

}  // namespace meshwright
