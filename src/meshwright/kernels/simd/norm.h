// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meshwright::kernels {

/// Normalisation of each row: (x - mean, if centered) / sqrt(mean square + epsilon) * scale + bias;
/// `bias` may be null.
struct RowNorm {
  std::int64_t size = 0;
  bool centered = false;
  float epsilon = 0;
  const float* scale = nullptr;
  const float* bias = nullptr;
};

/// Normalises contiguous rows. `out` may equal `x`.
void normalize_rows(const RowNorm& norm, const float* x, std::int64_t rows, float* out);

/// Arrays of differentiate_rows(), which overwrites `d_x` and adds to `d_scale` and `d_bias`.
/// `given` is the gradient of the result. `d_x` may equal `given`; `d_bias` may be null.
struct RowNormGradients {
  const float* given = nullptr;
  float* d_x = nullptr;
  float* d_scale = nullptr;
  float* d_bias = nullptr;
};
void differentiate_rows(const RowNorm& norm,
                        const float* x,
                        std::int64_t rows,
                        const RowNormGradients& gradients);

}  // namespace meshwright::kernels
