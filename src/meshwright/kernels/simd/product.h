// SPDX-License-Identifier: Apache-2.0
// The inner parts of kernels, compiled for several instruction sets; the processor decides which
// one runs. Single-threaded: kernels split their work before.
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

/// Rows of scratch arrays are padded to a multiple of this.
inline constexpr std::int64_t kLanes = 16;

constexpr std::int64_t padded(std::int64_t size) {
  return (size + kLanes - 1) / kLanes * kLanes;
}

/// c[i, j] = sum over l of a[i, l] * b[l, j], for i < rows, j < columns, l < inner; added to what
/// is there if `add`. Element (i, l) of a is a[i * a_row + l * a_inner]; b and c have rows without
/// gaps between elements.
struct Product {
  std::int64_t rows = 0, columns = 0, inner = 0;  ///< columns: a multiple of kLanes
  const float* a = nullptr;
  std::ptrdiff_t a_row = 0, a_inner = 1;
  const float* b = nullptr;
  std::ptrdiff_t b_row = 0;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
};
void multiply(const Product& product);

}  // namespace meshwright::kernels
