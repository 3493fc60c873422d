// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {

/// Arguments of activate(): out = activation(x) * factor, computed in f32. T: float or BFloat16.
template <typename T>
struct ActivatedRows {
  std::int64_t rows = 0, columns = 0;
  std::ptrdiff_t step = 0;  ///< row stride of x and factor
  const T* x = nullptr;
  const T* factor = nullptr;  ///< may be null
  T* out = nullptr;
  std::ptrdiff_t out_step = 0;
};
void activate(Activation kind, const ActivatedRows<float>& rows);
void activate(Activation kind, const ActivatedRows<BFloat16>& rows);

/// Arguments of differentiate_activation(), which recomputes activation(x) * factor and computes
/// the gradients of x and factor.
template <typename T>
struct DifferentiatedRows {
  std::int64_t rows = 0, columns = 0;
  std::ptrdiff_t step = 0;  ///< row stride of all arrays
  const T* x = nullptr;
  const T* factor = nullptr;  ///< may be null
  T* gradient = nullptr;      ///< in: gradient of the result; out: gradient of x
  T* activated = nullptr;
  T* d_factor = nullptr;  ///< null if `factor` is null
};
void differentiate_activation(Activation kind, const DifferentiatedRows<float>& rows);
void differentiate_activation(Activation kind, const DifferentiatedRows<BFloat16>& rows);

}  // namespace meshwright::kernels
