// SPDX-License-Identifier: Apache-2.0
// Copies a kernel's f32 scratch arrays to a program's arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/kernels/simd/halves.h"

namespace meshwright::kernels {

template <typename T>
void write_rows(const float* from,
                std::ptrdiff_t from_row,
                std::int64_t rows,
                std::int64_t size,
                T* to,
                std::ptrdiff_t to_row) {
  for (std::int64_t i = 0; i < rows; ++i)
    convert(from + i * from_row, size, to + i * to_row);
}

}  // namespace meshwright::kernels
