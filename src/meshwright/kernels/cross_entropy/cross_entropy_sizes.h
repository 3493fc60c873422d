// SPDX-License-Identifier: Apache-2.0
// How the cross-entropy kernel divides its work, and the memory it needs. Depends on shapes only;
// used by the op, which requests the memory, and by the handlers.
#pragma once

#include <cstdint>
#include <span>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

inline constexpr std::int64_t kWordsOfBlock = 512;

struct CrossEntropySizes {
  std::int64_t rows, dim, words;
  bool words_first;
  bool of_x = false, of_table = false;  ///< which gradients are needed

  bool any() const { return of_x || of_table; }
  std::int64_t num_blocks() const { return num_parts(words, kWordsOfBlock); }
  Range block(std::int64_t index) const { return part_of({0, words}, kWordsOfBlock, index); }
  /// Blocks of one group share a partial sum of the gradient of x.
  std::int64_t num_groups() const;
  Range blocks_of(std::int64_t group) const;
  std::int64_t rows_at_a_time() const;

  std::int64_t dim_room() const;
  /// Width of the panels of x in the product for the table's gradient.
  std::int64_t dim_width() const { return words_first ? kPanelColumns : kPanelRows; }

  // Floats of scratch memory; 0 if not needed.
  std::int64_t logits_size() const;
  std::int64_t parts_size() const;
  std::int64_t x_by_rows_size(PackedAs words_are) const;
  std::int64_t x_by_dim_size(PackedAs words_are) const;
  std::int64_t row_sums_size() const;
  /// The sum of these, enough for any processor.
  std::int64_t scratch_size() const;
};

/// x is [rows, dim], the table [words, dim] or [dim, words]; neither is empty.
CrossEntropySizes cross_entropy_sizes(std::span<const std::int64_t> x,
                                      std::span<const std::int64_t> table,
                                      bool words_first);

}  // namespace meshwright::kernels
