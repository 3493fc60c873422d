// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

/// The value of masked logits: far below any real logit, but finite, so that the softmax of a fully
/// masked row is uniform instead of NaN.
inline constexpr float kHiddenLogit = -1e10f;

/// Rows of logits or probabilities. Each row has space for padded(columns) elements.
struct ScoreRows {
  float* data = nullptr;
  std::ptrdiff_t row = 0;
  std::int64_t rows = 0, columns = 0;
  const std::uint8_t* mask = nullptr;  ///< 0: masked; null: nothing is masked
  std::ptrdiff_t mask_row = 0;
  const float* bias = nullptr;  ///< added to the logits before masking; may be null
  std::ptrdiff_t bias_row = 0;
};

/// Replaces each row with exp(x - max) / sum and zeros the padding.
void softmax(const ScoreRows& scores);

/// Replaces the gradients of the probabilities, which have the layout of `probs`, with the
/// gradients of the logits, which are zero where masked. Unless `d_bias` is null, also adds the
/// latter to `d_bias`, which has the layout of the bias.
void softmax_gradient(const ScoreRows& probs, float* gradients, float* d_bias);

}  // namespace meshwright::kernels
