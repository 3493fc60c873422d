// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/tensor/dtype.h"

namespace meshwright::kernels {

/// Source and destination: contiguous f32 or bf16 elements. The two may be the same array.
struct Changed {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  DType dtype = DType::f32;
};

enum class UpdateCore { none, adam, nesterov_adam, lion, momentum, nesterov_momentum, average };

/// The scalars of an array's update. The core's input is u = gradient_factor * g * factors +
/// param_factor * p. Then u becomes the core's output, and the new parameter is p + behind_factor *
/// u + behind_param_factor * p.
struct UpdateNumbers {
  UpdateCore core = UpdateCore::none;
  float gradient_factor = 1, param_factor = 0;
  float behind_factor = 1, behind_param_factor = 0;
  /// Weights of the old average and of the new value in a moving average.
  struct Decay {
    float old = 0, now = 1;
  };
  Decay b1, b2, average;
  Decay ahead;  ///< b1 before rounding to the slot's dtype, for Nesterov
  float eps = 0, eps_root = 0;
  /// Reciprocals of the bias corrections of adam and average.
  float first_factor = 1, next_factor = 1, square_factor = 1;
};

struct UpdateRun {
  Changed param;
  const std::byte* gradient = nullptr;  ///< if null, zeros
  DType gradient_dtype = DType::f32;
  const float* factors = nullptr;  ///< one per element of the gradient; if null, all ones
  Changed slots[2];
  Changed average;  ///< null if there is none
};

/// Updates `size` elements.
void update_run(const UpdateNumbers& numbers, const UpdateRun& run, std::int64_t size);

}  // namespace meshwright::kernels
