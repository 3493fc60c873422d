// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/check.h"
#include "meshwright/tensor/dtype.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// Returns body(T()) where T is float or BFloat16. Throws if `dtype` is neither f32 nor bf16.
template <typename Body>
decltype(auto) by_dtype(DType dtype, const Body& body) {
  MW_CHECK(dtype == DType::f32 || dtype == DType::bf16, "kernels support f32 and bf16, got ",
           dtype);
  return dtype == DType::bf16 ? body(BFloat16()) : body(float());
}

}  // namespace meshwright::kernels
