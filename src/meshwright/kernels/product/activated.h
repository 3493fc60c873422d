// SPDX-License-Identifier: Apache-2.0
// Activations fused into matrix products: applied to an operand before it is packed into panels, or
// differentiated while the results are still in a low-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

/// Lines of an operand x, or of activation(x) * factor; the latter requires contiguous lines.
struct MaybeActivated {
  Lines lines;
  std::optional<Activation> activation = {};
  const std::byte* factor = nullptr;  ///< same layout as x; may be null
};

/// Returns the number of floats that activated() takes from the scratch memory.
std::int64_t activation_room(const MaybeActivated& lines,
                             std::int64_t num_lines,
                             std::int64_t inner);
/// Returns a block of the operand with the activation applied, rounded to the dtype of the lines.
Lines activated(const MaybeActivated& from, Range lines, Range inner, ScratchParts& scratch);

/// Operands and outputs of differentiate(). All arrays have the same layout and dtype.
struct ActivatedArrays {
  Activation activation;
  const std::byte* x = nullptr;
  const std::byte* factor = nullptr;  ///< may be null
  std::byte* activated = nullptr;     ///< output: activation(x) * factor
  std::byte* d_factor = nullptr;      ///< output: gradient of `factor`; null if `factor` is null
};

/// A block of an array whose rows are `step` elements apart.
struct Block {
  Range rows, columns;
  std::ptrdiff_t step = 0;
};

/// Replaces the gradient of activation(x) * factor in a block of `out` with the gradient of x.
void differentiate(const ActivatedArrays& arrays, const Block& block, DType dtype, std::byte* out);

}  // namespace meshwright::kernels
