// SPDX-License-Identifier: Apache-2.0
// Products of one task of a kernel, whose factors may have been packed for many of them.
#pragma once

#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

struct Factor {
  Lines lines;
  const std::uint32_t* packed = nullptr;  ///< as pack_panels() does it; may be null
  std::int64_t packed_words = 0;          ///< of a packed line, if longer than what is summed
};

/// c = a b for all lines of a and b, added to what is there if `add`.
struct BlockProduct {
  std::int64_t rows = 0, columns = 0, inner = 0;
  Factor a, b;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
  /// Rows of f32 that become floats are read where they are, if not packed. Good where there are
  /// few columns.
  bool rows_in_place = false;
};

/// Floats that multiply_block() needs at most, for so many rows and columns that are not packed.
std::int64_t block_room(std::int64_t rows,
                        std::int64_t columns,
                        std::int64_t inner,
                        PackedAs words);

/// For that one.
std::int64_t block_room(const BlockProduct& product, PackedAs words);

void multiply_block(const BlockProduct& product, PackedAs words, ScratchParts scratch);

/// The size of all panels of so many lines.
std::int64_t packed_size(std::int64_t num_lines,
                         std::int64_t inner,
                         std::int64_t width,
                         PackedAs words);

}  // namespace meshwright::kernels
