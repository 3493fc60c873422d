// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/tensor/dtype.h"

namespace meshwright::kernels {

/// Neighbouring elements that are read and written, f32 or bf16; both may be the same memory.
struct Changed {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  DType dtype = DType::f32;
};

enum class UpdateCore { none, adam, nesterov_adam, lion, momentum, nesterov_momentum, average };

/// What is the same for all elements of an array. u = gradient_factor g factors + param_factor p
/// goes into the core, what comes out is u again, and p + behind_factor u + behind_param_factor p
/// is the new p.
struct UpdateNumbers {
  UpdateCore core = UpdateCore::none;
  float gradient_factor = 1, param_factor = 0;
  float behind_factor = 1, behind_param_factor = 0;
  /// Of averages, with what the newest value counts.
  struct Decay {
    float old = 0, now = 1;
  };
  Decay b1, b2, average;
  Decay ahead;  ///< b1 where it meets no slot, for nesterov
  float eps = 0, eps_root = 0;
  /// 1 over the corrections of adam and average.
  float first_factor = 1, next_factor = 1, square_factor = 1;
};

struct UpdateRun {
  Changed param;
  const std::byte* gradient = nullptr;  ///< null: zeros
  DType gradient_dtype = DType::f32;
  const float* factors = nullptr;  ///< of the gradient; null: ones
  Changed slots[2];
  Changed average;  ///< null: none
};

/// Of so many elements.
void update_run(const UpdateNumbers& numbers, const UpdateRun& run, std::int64_t size);

}  // namespace meshwright::kernels
