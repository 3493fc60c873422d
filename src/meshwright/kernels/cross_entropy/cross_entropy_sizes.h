// SPDX-License-Identifier: Apache-2.0
// How the cross-entropy kernel divides its work and how much memory it needs. Both depend only on
// shapes. Used by the op, which requests the memory, and by the handlers.
#pragma once

#include <cstdint>
#include <span>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/simd/panels.h"

namespace meshwright::kernels {

inline constexpr std::int64_t kWordsOfBlock = 512;

struct CrossEntropySizes {
  std::int64_t rows, dim, vocab;
  bool vocab_first;
  bool d_x = false, d_table = false;  ///< which gradients are needed

  bool any() const { return d_x || d_table; }
  std::int64_t num_blocks() const { return num_chunks(vocab, kWordsOfBlock); }
  Range block(std::int64_t index) const { return chunk_of({0, vocab}, kWordsOfBlock, index); }
  /// The blocks of a group share a partial sum of the gradient of x.
  std::int64_t num_groups() const;
  Range blocks_of(std::int64_t group) const;
  std::int64_t rows_at_a_time() const;

  std::int64_t dim_room() const;
  /// Width of the panels of x in the product for the table's gradient.
  std::int64_t dim_width() const { return vocab_first ? kPanelColumns : kPanelRows; }

  // Numbers of scratch floats; 0 if not needed.
  std::int64_t logits_size() const;
  std::int64_t partial_sums_size() const;
  std::int64_t x_by_rows_size(PackedAs words_are) const;
  std::int64_t x_by_dim_size(PackedAs words_are) const;
  std::int64_t row_sums_size() const;
  /// Returns the sum of the sizes above, which is enough on any processor.
  std::int64_t scratch_size() const;
};

/// x is [rows, dim] and the table is [vocab, dim] or [dim, vocab]. Neither may be empty.
CrossEntropySizes cross_entropy_sizes(std::span<const std::int64_t> x,
                                      std::span<const std::int64_t> table,
                                      bool vocab_first);

}  // namespace meshwright::kernels
