// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/kernels/product/activated.h"
#include "meshwright/kernels/simd/panels.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

/// out[i, j] = bias[j] + addend[i, j] + the sum over l of a's line i times b's line j. Sums are
/// f32.
struct MatrixProduct {
  std::int64_t rows = 0, columns = 0, inner = 0;
  MaybeActivated a;
  Lines b;
  DType dtype = DType::f32;  ///< bf16: f32 operands are rounded to it
  DType out_dtype = DType::f32;
  std::byte* out = nullptr;         ///< rows without gaps
  const std::byte* bias = nullptr;  ///< may be null
  DType bias_dtype = DType::f32;
  const std::byte* addend = nullptr;  ///< lies as `out`; may be null
  /// If there is one, `out` becomes the gradient of its x, given that of what was multiplied.
  std::optional<ActivatedArrays> activation = {};
  float* b_sums = nullptr;  ///< unless null, gets the sum of each line of b
};

/// Work is split by sizes alone, over the threads of the call's pool; this thread does it all if
/// there is no call.
void multiply_matrices(const MatrixProduct& product, const pjrt::KernelCall* call);

}  // namespace meshwright::kernels
