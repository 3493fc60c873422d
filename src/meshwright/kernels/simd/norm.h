// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace meshwright::kernels {

/// What is done to each row: (x - its mean, if centered) / sqrt(mean square + epsilon), times a
/// scale, plus a bias if there is one.
struct RowNorm {
  std::int64_t size = 0;
  bool centered = false;
  float epsilon = 0;
  const float* scale = nullptr;
  const float* bias = nullptr;
};

/// `out` may be x. Rows have no room between them.
void normalize_rows(const RowNorm& norm, const float* x, std::int64_t rows, float* out);

/// The gradient of the rows of x, given that of the result; adds to those of scale and bias. `of_x`
/// may be `given`; `of_bias` may be null.
struct RowNormGradients {
  const float* given = nullptr;
  float* of_x = nullptr;
  float* of_scale = nullptr;
  float* of_bias = nullptr;
};
void differentiate_rows(const RowNorm& norm,
                        const float* x,
                        std::int64_t rows,
                        const RowNormGradients& gradients);

}  // namespace meshwright::kernels
