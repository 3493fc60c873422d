// SPDX-License-Identifier: Apache-2.0
// Tiles of pairs of bf16, by instructions that Highway of Debian 12 does not know.
#pragma once

#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

/// Whether the processor multiplies pairs of bf16 (AVX-512 BF16).
bool has_bf16_pairs();
/// Whether it has instructions for whole tiles of bf16 (AMX), which are not used here.
bool has_bf16_tiles();
/// multiply_panels for Words::bf16_pairs; only where the processor can.
void multiply_bf16_panels(const Tile& tile);
void multiply_bf16_panels(const Tile& tile, const TileResult& result);

}  // namespace meshwright::kernels
