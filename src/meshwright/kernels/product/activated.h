// SPDX-License-Identifier: Apache-2.0
// Activations within products: applied to a factor on its way into panels, or differentiated while
// results are still in a near cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "meshwright/kernels/common/activation.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

/// Lines, or what becomes of their elements, which are neighbours then: activation(x) * factor.
struct MaybeActivated {
  Lines lines;
  std::optional<Activation> activation = {};
  const std::byte* factor = nullptr;  ///< lies as x; may be null
};

/// The floats that activated() takes from a scratch for so many lines.
std::int64_t activation_room(const MaybeActivated& lines,
                             std::int64_t num_lines,
                             std::int64_t inner);
/// These lines and elements as they are multiplied, rounded to the dtype of the lines.
Lines activated(const MaybeActivated& from, Range lines, Range inner, ScratchParts& scratch);

/// activation(x) * factor, which was multiplied. All arrays lie alike, in one dtype.
struct ActivatedArrays {
  Activation activation;
  const std::byte* x = nullptr;
  const std::byte* factor = nullptr;  ///< may be null
  std::byte* activated = nullptr;     ///< gets what was multiplied
  std::byte* d_factor = nullptr;      ///< null if `factor` is
};

/// A part of rows that are `step` elements apart.
struct Block {
  Range rows, columns;
  std::ptrdiff_t step = 0;
};

/// In a part of `out`, in place: the gradient of what is activated becomes that of x.
void differentiate(const ActivatedArrays& arrays, const Block& block, DType dtype, std::byte* out);

}  // namespace meshwright::kernels
