// SPDX-License-Identifier: Apache-2.0
// Matrix products within one task of a kernel. The operands may already be packed, so that several
// products can reuse them.
#pragma once

#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

struct Factor {
  Lines lines;
  const std::uint32_t* packed = nullptr;  ///< panels from pack_panels(); may be null
  std::int64_t packed_words = 0;          ///< words per packed line; 0: the number that is summed
};

/// Computes c = a b, or c += a b if `add` is true.
struct BlockProduct {
  std::int64_t rows = 0, columns = 0, inner = 0;
  Factor a, b;
  float* c = nullptr;
  std::ptrdiff_t c_row = 0;
  bool add = false;
  /// Reads unpacked f32 rows in place instead of packing them, if products use floats. This pays
  /// off when there are few columns.
  bool rows_in_place = false;
};

/// Returns an upper bound on the number of scratch floats that multiply_block() needs for unpacked
/// rows and columns.
std::int64_t block_room(std::int64_t rows,
                        std::int64_t columns,
                        std::int64_t inner,
                        PackedAs words);

/// Returns this bound for the given product.
std::int64_t block_room(const BlockProduct& product, PackedAs words);

void multiply_block(const BlockProduct& product, PackedAs words, ScratchParts scratch);

/// Returns the number of words in the panels of `num_lines` lines.
std::int64_t packed_size(std::int64_t num_lines,
                         std::int64_t inner,
                         std::int64_t width,
                         PackedAs words);

}  // namespace meshwright::kernels
