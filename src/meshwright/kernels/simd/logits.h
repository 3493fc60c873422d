// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace meshwright::kernels {

/// Logits of some rows for some of the words; each row has room for padded(columns) elements.
struct LogitRows {
  float* data = nullptr;
  std::ptrdiff_t row = 0;
  std::int64_t rows = 0, columns = 0;
};

/// What is known of a row of logits.
struct LogitSums {
  float most = 0;    ///< the largest
  float powers = 0;  ///< sum of exp(logit - most)
  float sum = 0;
  std::int32_t best = 0;  ///< the first place of the largest
};

/// One for each row.
void sum_logits(const LogitRows& logits, LogitSums* out);

/// How logits of a row turn into gradients: scale * exp(logit - log_normalizer) - spread.
struct LogitGradient {
  float log_normalizer = 0, scale = 0, spread = 0;
};

/// In place, by the rule of each row; zeros in the padding.
void differentiate_logits(const LogitRows& logits, const LogitGradient* rules);

}  // namespace meshwright::kernels
