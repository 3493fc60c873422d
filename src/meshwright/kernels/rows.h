// SPDX-License-Identifier: Apache-2.0
// Rows of arrays of a program, and the f32 scratch arrays that kernels compute with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "meshwright/kernels/simd/halves.h"

namespace meshwright::kernels {

/// Copies rows x size elements; fills the rows of `to` up to `to_row` with zeros.
template <typename T>
void read_rows(const T* from,
               std::ptrdiff_t from_row,
               std::int64_t rows,
               std::int64_t size,
               float* to,
               std::ptrdiff_t to_row) {
  for (std::int64_t i = 0; i < rows; ++i) {
    convert(from + i * from_row, size, to + i * to_row);
    std::fill(to + i * to_row + size, to + (i + 1) * to_row, 0.0f);
  }
}

/// Element (i, j) of `from` becomes (j, i) of `to`; fills the rows of `to` with zeros.
template <typename T>
void read_transposed(const T* from,
                     std::ptrdiff_t from_row,
                     std::int64_t rows,
                     std::int64_t size,
                     float* to,
                     std::ptrdiff_t to_row) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t begin = 0; begin < rows; begin += kBlock) {
    const std::int64_t end = std::min(rows, begin + kBlock);
    for (std::int64_t j = 0; j < size; ++j) {
      for (std::int64_t i = begin; i < end; ++i)
        to[j * to_row + i] = from[i * from_row + j];
    }
  }
  for (std::int64_t j = 0; j < size; ++j)
    std::fill(to + j * to_row + rows, to + (j + 1) * to_row, 0.0f);
}

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
