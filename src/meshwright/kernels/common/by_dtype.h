// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/base/check.h"
#include "meshwright/tensor/dtype.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// body(T()) for the T of an array that kernels compute with: f32 or bf16.
template <typename Body>
decltype(auto) by_dtype(DType dtype, const Body& body) {
  MW_CHECK(dtype == DType::f32 || dtype == DType::bf16, "kernels compute with f32 and bf16, not ",
           dtype);
  return dtype == DType::bf16 ? body(BFloat16()) : body(float());
}

}  // namespace meshwright::kernels
