// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/cross_entropy_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels {
namespace {

constexpr std::int64_t kFloatsOfSums = sizeof(LogitSums) / sizeof(float);
constexpr std::int64_t kFloatsOfRule = sizeof(LogitGradient) / sizeof(float);

/// The sums of a row over the whole vocabulary.
struct Total {
  double log_normalizer, sum;
  std::int32_t best;
};

Total total_of(const RowsAtHand& rows, std::int64_t row, std::int64_t num_blocks) {
  const LogitSums* sums = rows.sums + row;
  std::int64_t best = 0;
  for (std::int64_t block = 1; block < num_blocks; ++block)
    if (sums[block * rows.size()].most > sums[best * rows.size()].most) best = block;
  const double most = sums[best * rows.size()].most;
  double powers = 0, sum = 0;
  for (std::int64_t block = 0; block < num_blocks; ++block) {
    const LogitSums& of_block = sums[block * rows.size()];
    powers += of_block.powers * std::exp(of_block.most - most);
    sum += of_block.sum;
  }
  // `powers` treats NaN logits as 0, but `sum` propagates them.
  const double not_finite = 0 * sum;
  return {.log_normalizer = most + std::log(powers) + not_finite,
          .sum = sum,
          .best = static_cast<std::int32_t>(best * kWordsOfBlock) + sums[best * rows.size()].best};
}

}  // namespace

RowWeighting::RowWeighting(const pjrt::KernelCall& call, const CrossEntropySizes& sizes)
    : smoothing(call.attr<double>("label_smoothing")),
      z_loss(call.attr<double>("z_loss")),
      vocab_size(sizes.vocab),
      labels(call.input(2).values<std::int32_t>().data()),
      weights(call.input(3).values<float>().data()) {}

std::int64_t RowsAtHand::room(std::int64_t num_blocks, std::int64_t rows) {
  return padded(rows) * (kFloatsOfSums * num_blocks + kFloatsOfRule + 2 + 2);
}

void RowsAtHand::take(std::int64_t num_blocks, std::int64_t rows, ScratchParts& scratch) {
  const std::int64_t room = padded(rows);
  losses = reinterpret_cast<double*>(scratch.take(room * 2));
  labelled = scratch.take(room);
  label_gradient = scratch.take(room);
  sums = reinterpret_cast<LogitSums*>(scratch.take(room * kFloatsOfSums * num_blocks));
  rules = reinterpret_cast<LogitGradient*>(scratch.take(room * kFloatsOfRule));
}

std::int32_t finish_row(const RowsAtHand& rows,
                        std::int64_t row,
                        std::int64_t num_blocks,
                        const RowWeighting& weighting) {
  const double smoothing = weighting.smoothing, z_loss = weighting.z_loss;
  const std::int64_t at = rows.range.begin + row;
  const Total total = total_of(rows, row, num_blocks);
  const std::int32_t label = weighting.labels[at];
  const bool has_label = label >= 0 && label < weighting.vocab_size;
  const double weight = has_label ? weighting.weights[at] : 0, normalizer = total.log_normalizer;
  const double vocab_size = static_cast<double>(weighting.vocab_size);
  const double d_logits =
      has_label ? rows.labelled[row] * (1 - smoothing) + total.sum / vocab_size * smoothing : 0;
  const double loss = normalizer - d_logits + z_loss * normalizer * normalizer;
  rows.losses[row] = has_label ? weight * loss : 0;
  LogitGradient& rule = rows.rules[row];
  rule.log_normalizer = static_cast<float>(normalizer);
  rule.scale = static_cast<float>(weight * (1 + 2 * z_loss * normalizer));
  rule.spread = static_cast<float>(weight * smoothing / vocab_size);
  rows.label_gradient[row] = static_cast<float>(weight * (1 - smoothing));
  if (std::isnan(normalizer) && has_label) rule.spread = std::numeric_limits<float>::quiet_NaN();
  return total.best;
}

}  // namespace meshwright::kernels
