// SPDX-License-Identifier: Apache-2.0
// The rows (examples) that the cross-entropy kernel is working on.
#pragma once

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/cross_entropy/cross_entropy_sizes.h"
#include "meshwright/kernels/simd/logits.h"
#include "meshwright/pjrt/kernel_call.h"

namespace meshwright::kernels {

struct RowWeighting {
  RowWeighting(const pjrt::KernelCall& call, const CrossEntropySizes& sizes);

  double smoothing, z_loss;
  std::int64_t vocab_size;
  const std::int32_t* labels;
  const float* weights;
};

struct RowsAtHand {
  Range range{};
  float* labelled = nullptr;  ///< logit of each row's label
  LogitSums* sums = nullptr;  ///< [blocks, rows]
  LogitGradient* rules = nullptr;
  float* label_gradient = nullptr;  ///< subtracted from the gradient of the label's logit
  double* losses = nullptr;

  std::int64_t size() const { return range.size(); }

  /// Returns the number of floats that take() needs for this many rows.
  static std::int64_t room(std::int64_t num_blocks, std::int64_t rows);
  void take(std::int64_t num_blocks, std::int64_t rows, ScratchParts& scratch);
};

/// Computes the loss and the gradient rule of a row from the sums of all blocks. Returns the index
/// of the row's largest logit.
std::int32_t finish_row(const RowsAtHand& rows,
                        std::int64_t row,
                        std::int64_t num_blocks,
                        const RowWeighting& weighting);

}  // namespace meshwright::kernels
