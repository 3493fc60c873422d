// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

/// A block of logits: examples by vocabulary words. Each row has space for padded(columns)
/// elements.
struct LogitRows {
  float* data = nullptr;
  std::ptrdiff_t row = 0;
  std::int64_t rows = 0, columns = 0;
};

/// Statistics of one row of a block of logits.
struct LogitSums {
  float most = 0;    ///< the largest logit
  float powers = 0;  ///< sum of exp(logit - most)
  float sum = 0;
  std::int32_t best = 0;  ///< index of the largest logit, the first if several are equal
};

/// Writes the statistics of each row.
void sum_logits(const LogitRows& logits, LogitSums* out);

/// The gradient rule of a row: scale * exp(logit - log_normalizer) - spread.
struct LogitGradient {
  float log_normalizer = 0, scale = 0, spread = 0;
};

/// Replaces logits with their gradients, using one rule per row, and zeros the padding.
void differentiate_logits(const LogitRows& logits, const LogitGradient* rules);

}  // namespace meshwright::kernels
