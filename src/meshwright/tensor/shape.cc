// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tensor/shape.h"

#include "meshwright/base/check.h"
#include "meshwright/base/str.h"

namespace meshwright {

std::int64_t num_elements(const Dims& dims) {
  std::int64_t product = 1;
  for (std::int64_t dim : dims) {
    MW_CHECK(dim >= 0, "shape ", dims, " has a negative size");
    MW_CHECK(!__builtin_mul_overflow(product, dim, &product), "shape ", dims,
             " has more elements than 63 bits can count");
  }
  return product;
}

std::int64_t ArrayType::num_bytes() const {
  std::int64_t bytes = 0;
  MW_CHECK(!__builtin_mul_overflow(num_elements(dims), static_cast<std::int64_t>(byte_size(dtype)),
                                   &bytes),
           *this, " has more bytes than 63 bits can count");
  return bytes;
}

std::string to_string(const ArrayType& type) {
  return str(type.dtype, type.dims);
}

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return strides;
}

}  // namespace meshwright
