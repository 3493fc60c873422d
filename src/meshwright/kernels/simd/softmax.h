// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

/// What a logit becomes where the mask is 0: less than any other, but finite, so that a row that
/// sees nothing is uniform instead of NaN.
inline constexpr float kHiddenLogit = -1e10f;

/// Rows of logits, or of what comes of them. Each has room for padded(columns) elements.
struct ScoreRows {
  float* data = nullptr;
  std::ptrdiff_t row = 0;
  std::int64_t rows = 0, columns = 0;
  const std::uint8_t* mask = nullptr;  ///< 1: seen, 0: hidden; null: everything is seen
  std::ptrdiff_t mask_row = 0;
  const float* bias = nullptr;  ///< added to the logits before some are hidden; may be null
  std::ptrdiff_t bias_row = 0;
};

/// In place: each row exp(x - max) / sum; zeros in the padding.
void softmax(const ScoreRows& scores);

/// Turns the gradients of softmax's results, in rows as long as those of `probs`, into gradients of
/// the logits; zero where hidden. Adds them to `of_bias`, with rows like the bias, unless it is
/// null.
void softmax_gradient(const ScoreRows& probs, float* gradients, float* of_bias);

}  // namespace meshwright::kernels
