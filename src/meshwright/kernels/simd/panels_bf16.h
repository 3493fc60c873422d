// SPDX-License-Identifier: Apache-2.0
// Multiplies panels of bf16 pairs with instructions that Highway in Debian 12 lacks.
#pragma once

#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

/// True if the processor can multiply pairs of bf16 (AVX-512 BF16).
bool has_bf16_pairs();
/// True if the processor can multiply tiles of bf16 (AMX). XLA uses these; the kernels do not.
bool has_bf16_tiles();
/// Implements multiply_panels() for PackedAs::bf16_pairs. Requires has_bf16_pairs().
void multiply_bf16_panels(const Tile& tile);
void multiply_bf16_panels(const Tile& tile, const TileResult& result);

}  // namespace meshwright::kernels
