// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// Rows for activation(x) * factor, computed in f32. T: float or BFloat16.
template <typename T>
struct ActivatedRows {
  std::int64_t rows = 0, columns = 0;
  std::ptrdiff_t step = 0;  ///< from row to row of x and factor
  const T* x = nullptr;
  const T* factor = nullptr;  ///< may be null
  T* out = nullptr;
  std::ptrdiff_t out_step = 0;
};
void activate(Activation kind, const ActivatedRows<float>& rows);
void activate(Activation kind, const ActivatedRows<BFloat16>& rows);

/// Rows for activate() and for the gradients of x and factor, given the result's gradient.
template <typename T>
struct DifferentiatedRows {
  std::int64_t rows = 0, columns = 0;
  std::ptrdiff_t step = 0;  ///< from row to row of all arrays
  const T* x = nullptr;
  const T* factor = nullptr;  ///< may be null
  T* gradient = nullptr;      ///< in: of the result; out: of x
  T* activated = nullptr;
  T* d_factor = nullptr;  ///< null if `factor` is
};
void differentiate_activation(Activation kind, const DifferentiatedRows<float>& rows);
void differentiate_activation(Activation kind, const DifferentiatedRows<BFloat16>& rows);

}  // namespace meshwright::kernels
