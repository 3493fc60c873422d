// SPDX-License-Identifier: Apache-2.0
// Parameter checks and float formats for the samplers.
#pragma once

#include <cstdint>
#include <string_view>

#include "meshwright/base/source_loc.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/tensor/dtype.h"

namespace meshwright::graph::random {

struct FloatFormat {
  int bits;
  int mantissa_bits;  // not counting the implicit leading 1
  DType same_width;   // the unsigned integer of the same width
  std::uint64_t one;  // bit pattern of 1.0
  double tiny;        // the smallest normal number
};

/// Returns the format of a float dtype. Throws invalid_argument naming `function` if the dtype is
/// not f16, bf16, f32 or f64.
FloatFormat float_format(std::string_view function, DType dtype, SourceLoc loc);

/// Throws invalid_argument naming `function` if a parameter of this type does not broadcast to
/// `dims`.
void check_broadcast(std::string_view function,
                     const ArrayType& parameter,
                     const Dims& dims,
                     SourceLoc loc);

}  // namespace meshwright::graph::random
