// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/tensor/dtype.h"

namespace meshwright {

using Dims = std::vector<std::int64_t>;

/// Returns the product of all sizes; 1 for a scalar. Throws invalid_argument if it exceeds 63 bits.
std::int64_t num_elements(const Dims& dims);

/// Type and shape of an array.
struct ArrayType {
  DType dtype = DType::f32;
  Dims dims;

  int rank() const { return static_cast<int>(dims.size()); }
  /// Returns the size in bytes in host memory, row-major and without padding.
  std::int64_t num_bytes() const;
  bool operator==(const ArrayType&) const = default;
};

/// Returns text such as "bf16[8,128,512]".
std::string to_string(const ArrayType& type);

/// Returns row-major strides in elements.
Dims row_major_strides(const Dims& dims);

}  // namespace meshwright
