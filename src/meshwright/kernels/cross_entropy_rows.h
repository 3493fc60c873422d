// SPDX-License-Identifier: Apache-2.0
// What the cross-entropy's kernel knows of the rows (examples) at hand.
#pragma once

#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/scratch.h"
#include "meshwright/kernels/simd/logits.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

inline constexpr std::int64_t kWordsOfBlock = 256;

struct CrossEntropySizes {
  explicit CrossEntropySizes(const pjrt::KernelCall& call);

  std::int64_t rows, dim, words;
  bool words_first;

  std::int64_t num_blocks() const { return num_parts(words, kWordsOfBlock); }
  Range block(std::int64_t index) const { return part_of({0, words}, kWordsOfBlock, index); }
  /// Blocks of a group add up one part of the gradient of x.
  std::int64_t num_groups() const;
  Range blocks_of(std::int64_t group) const;
  std::int64_t rows_at_a_time() const;
};

struct RowWeighting {
  explicit RowWeighting(const pjrt::KernelCall& call);

  double smoothing, z_loss;
  std::int64_t num_words;
  const std::int32_t* labels;
  const float* weights;
};

struct RowsAtHand {
  Range range{};
  float* labelled = nullptr;  ///< the logit of the label of each row
  LogitSums* sums = nullptr;  ///< blocks x rows
  LogitGradient* rules = nullptr;
  float* of_label = nullptr;  ///< taken from the gradient of the label's logit
  double* losses = nullptr;

  std::int64_t size() const { return range.size(); }

  /// Floats that take() needs for so many rows.
  static std::int64_t room(const CrossEntropySizes& sizes, std::int64_t rows);
  void take(const CrossEntropySizes& sizes, std::int64_t rows, SharedScratch& scratch);
};

/// From the sums of all blocks: the loss of a row, and the rule of its gradient. Returns the place
/// of its largest logit.
std::int32_t finish_row(const RowsAtHand& rows,
                        std::int64_t row,
                        std::int64_t num_blocks,
                        const RowWeighting& weighting);

}  // namespace meshwright::kernels
