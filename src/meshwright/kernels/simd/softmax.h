// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/kernels/common/ranges.h"

namespace meshwright::kernels {

/// The value of masked logits: far below any real logit, but finite, so that the softmax of a fully
/// masked row is uniform instead of NaN.
inline constexpr float kHiddenLogit = -1e10f;

/// Rows of logits or probabilities. Each row has space for padded(columns) elements. A column is
/// masked if it is outside the row's range, if its mask is 0, or if its segment differs from the
/// row's. An empty range masks the whole row.
struct ScoreRows {
  float* data = nullptr;
  std::ptrdiff_t row = 0;
  std::int64_t rows = 0, columns = 0;
  const Range* ranges = nullptr;       ///< one per row
  const std::uint8_t* mask = nullptr;  ///< 0: masked; if null, nothing is masked
  std::ptrdiff_t mask_row = 0;
  const float* bias = nullptr;  ///< added to the logits before masking; may be null
  std::ptrdiff_t bias_row = 0;
  const std::int32_t* column_segments = nullptr;  ///< null: all are equal
  const std::int32_t* row_segments = nullptr;
};

/// Replaces each row with exp(x - max) / sum and zeros the padding. A fully masked row becomes
/// uniform.
void softmax(const ScoreRows& scores);

/// Replaces the gradients of the probabilities, which have the layout of `probs`, with the
/// gradients of the logits, which are zero where masked. Unless `d_bias` is null, also adds the
/// latter to `d_bias`, which has the layout of the bias.
void softmax_gradient(const ScoreRows& probs, float* gradients, float* d_bias);

}  // namespace meshwright::kernels
