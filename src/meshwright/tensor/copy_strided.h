// SPDX-License-Identifier: Apache-2.0
// Copies between arrays with different memory layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace meshwright {

/// One dimension to copy. Strides are in elements.
struct StridedDim {
  std::int64_t size = 0;
  std::int64_t from_stride = 0;
  std::int64_t to_stride = 0;
};

/// Copies elements of 1, 2, 4, 8 or 16 bytes between regions that do not overlap. Throws
/// invalid_argument for any other element size.
void copy_strided(const std::byte* from,
                  std::byte* to,
                  std::vector<StridedDim> dims,
                  std::size_t element_bytes);

}  // namespace meshwright
