// SPDX-License-Identifier: Apache-2.0
// Packs panels of bf16 pairs with instructions that Highway in Debian 12 lacks. Requires
// has_bf16_pairs().
#pragma once

#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

/// Implement pack_panels() and sum_columns() for PackedAs::bf16_pairs. Subnormals are flushed to 0,
/// as in bf16 multiplication.
void pack_bf16_panels(const Lines& lines,
                      std::int64_t num_lines,
                      std::int64_t inner,
                      std::int64_t width,
                      std::uint32_t* panels);
void sum_bf16_columns(const std::uint32_t* panel, std::int64_t num_words, float* sums);

}  // namespace meshwright::kernels
