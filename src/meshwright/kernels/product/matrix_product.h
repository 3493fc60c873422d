// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "meshwright/kernels/product/activated.h"
#include "meshwright/kernels/simd/panels.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

/// out[i, j] = bias[j] + addend[i, j] + dot(line i of a, line j of b), accumulated in f32.
struct MatrixProduct {
  std::int64_t rows = 0, columns = 0, inner = 0;
  MaybeActivated a;
  Lines b;
  DType dtype = DType::f32;  ///< bf16: rounds f32 operands to bf16
  DType out_dtype = DType::f32;
  std::byte* out = nullptr;         ///< dense row-major
  const std::byte* bias = nullptr;  ///< may be null
  DType bias_dtype = DType::f32;
  const std::byte* addend = nullptr;  ///< same layout as `out`; may be null
  /// If set, the product is the gradient of activation(x) * factor; `out` receives the gradient of
  /// x.
  std::optional<ActivatedArrays> activation = {};
  float* b_sums = nullptr;  ///< unless null, receives the sum of each line of b
};

/// Runs on the thread pool of `call`, or on this thread if `call` is null. The division of work
/// depends only on the sizes.
void multiply_matrices(const MatrixProduct& product, const pjrt::KernelCall* call);

}  // namespace meshwright::kernels
