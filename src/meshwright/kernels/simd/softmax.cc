// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/softmax.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/softmax.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/exp-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

void hide(float* HWY_RESTRICT row, const std::uint8_t* HWY_RESTRICT mask, std::int64_t columns) {
  const Floats d;
  const hn::Rebind<std::int32_t, Floats> words;
  const hn::Rebind<std::uint8_t, Floats> bytes;
  const Vector hidden = hn::Set(d, kHiddenLogit);
  std::int64_t j = 0;
  for (; j + kWidth <= columns; j += kWidth) {
    auto seen = hn::PromoteTo(words, hn::LoadU(bytes, mask + j));
    auto is_seen = hn::RebindMask(d, hn::Ne(seen, hn::Zero(words)));
    hn::StoreU(hn::IfThenElse(is_seen, hn::LoadU(d, row + j), hidden), d, row + j);
  }
  for (; j < columns; ++j)
    row[j] = mask[j] != 0 ? row[j] : kHiddenLogit;
}

void add(const float* HWY_RESTRICT from, std::int64_t columns, float* HWY_RESTRICT to) {
  const Floats d;
  std::int64_t j = 0;
  for (; j + kWidth <= columns; j += kWidth)
    hn::StoreU(hn::Add(hn::LoadU(d, to + j), hn::LoadU(d, from + j)), d, to + j);
  for (; j < columns; ++j)
    to[j] += from[j];
}

void hide_others(float* HWY_RESTRICT row,
                 const std::int32_t* HWY_RESTRICT segments,
                 std::int32_t segment,
                 Range columns) {
  for (std::int64_t j = columns.begin; j < columns.end; ++j)
    row[j] = segments[j] == segment ? row[j] : kHiddenLogit;
}

// Columns outside of the range become zero.
void softmax_row(float* HWY_RESTRICT row, Range range, std::int64_t columns) {
  const Floats d;
  // Whole vectors, so that sums do not depend on the range.
  const std::int64_t begin = range.begin / kWidth * kWidth, end = padded(range.end);
  std::fill(row, row + begin, 0.0f);
  std::fill(row + begin, row + range.begin, std::numeric_limits<float>::lowest());
  std::fill(row + range.end, row + end, std::numeric_limits<float>::lowest());
  std::fill(row + end, row + padded(columns), 0.0f);
  Vector most = hn::LoadU(d, row + begin);
  for (std::int64_t j = begin + kWidth; j < end; j += kWidth)
    most = hn::Max(most, hn::LoadU(d, row + j));
  most = hn::MaxOfLanes(d, most);
  Vector sum = hn::Zero(d);
  for (std::int64_t j = begin; j < end; j += kWidth) {
    Vector power = exp_up_to_88(hn::Sub(hn::LoadU(d, row + j), most));
    sum = hn::Add(sum, power);
    hn::StoreU(power, d, row + j);
  }
  const Vector scale = hn::Div(hn::Set(d, 1.0f), hn::SumOfLanes(d, sum));
  for (std::int64_t j = begin; j < end; j += kWidth)
    hn::StoreU(hn::Mul(hn::LoadU(d, row + j), scale), d, row + j);
}

void softmax_here(const ScoreRows& scores) {
  for (std::int64_t i = 0; i < scores.rows; ++i) {
    float* row = scores.data + i * scores.row;
    const Range range = scores.ranges[i];
    if (range.size() == 0) {
      std::fill_n(row, scores.columns, kHiddenLogit);
      softmax_row(row, {0, scores.columns}, scores.columns);
      continue;
    }
    const std::int64_t first = range.begin, size = range.size();
    if (scores.bias != nullptr) add(scores.bias + i * scores.bias_row + first, size, row + first);
    if (scores.mask != nullptr) hide(row + first, scores.mask + i * scores.mask_row + first, size);
    if (scores.column_segments != nullptr)
      hide_others(row, scores.column_segments, scores.row_segments[i], range);
    softmax_row(row, range, scores.columns);
  }
}

// Columns outside of the range become zero.
void gradient_row(const float* HWY_RESTRICT probs,
                  float* HWY_RESTRICT gradients,
                  Range range,
                  std::int64_t columns) {
  const Floats d;
  const std::int64_t begin = range.begin / kWidth * kWidth, end = padded(range.end);
  Vector sum = hn::Zero(d);
  for (std::int64_t j = begin; j < end; j += kWidth)
    sum = hn::MulAdd(hn::LoadU(d, probs + j), hn::LoadU(d, gradients + j), sum);
  const Vector mean = hn::SumOfLanes(d, sum);
  for (std::int64_t j = begin; j < end; j += kWidth) {
    Vector centered = hn::Sub(hn::LoadU(d, gradients + j), mean);
    hn::StoreU(hn::Mul(hn::LoadU(d, probs + j), centered), d, gradients + j);
  }
  std::fill(gradients, gradients + range.begin, 0.0f);
  std::fill(gradients + range.end, gradients + padded(columns), 0.0f);
}

void clear_hidden(float* HWY_RESTRICT row,
                  const std::uint8_t* HWY_RESTRICT mask,
                  std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j)
    row[j] = mask[j] != 0 ? row[j] : 0.0f;
}

void clear_others(float* HWY_RESTRICT row,
                  const std::int32_t* HWY_RESTRICT segments,
                  std::int32_t segment,
                  Range columns) {
  for (std::int64_t j = columns.begin; j < columns.end; ++j)
    row[j] = segments[j] == segment ? row[j] : 0.0f;
}

void softmax_gradient_here(const ScoreRows& probs, float* gradients, float* d_bias) {
  for (std::int64_t i = 0; i < probs.rows; ++i) {
    float* row = gradients + i * probs.row;
    const Range range = probs.ranges[i];
    if (range.size() == 0) {
      std::fill_n(row, padded(probs.columns), 0.0f);
      continue;
    }
    const std::int64_t first = range.begin, size = range.size();
    gradient_row(probs.data + i * probs.row, row, range, probs.columns);
    if (probs.mask != nullptr)
      clear_hidden(row + first, probs.mask + i * probs.mask_row + first, size);
    if (probs.column_segments != nullptr)
      clear_others(row, probs.column_segments, probs.row_segments[i], range);
    if (d_bias != nullptr) add(row + first, size, d_bias + i * probs.bias_row + first);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(softmax_here);
HWY_EXPORT(softmax_gradient_here);

void softmax(const ScoreRows& scores) {
  HWY_DYNAMIC_DISPATCH(softmax_here)(scores);
}

void softmax_gradient(const ScoreRows& probs, float* gradients, float* d_bias) {
  HWY_DYNAMIC_DISPATCH(softmax_gradient_here)(probs, gradients, d_bias);
}

}  // namespace meshwright::kernels
#endif
