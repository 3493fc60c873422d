// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/logits.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/logits.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/exp-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

std::int32_t first_place(const float* row, std::int64_t columns, float wanted) {
  const Floats d;
  const Vector value = hn::Set(d, wanted);
  std::int64_t j = 0;
  for (; j + kWidth <= columns; j += kWidth) {
    const std::intptr_t lane = hn::FindFirstTrue(d, hn::Eq(hn::LoadU(d, row + j), value));
    if (lane >= 0) return static_cast<std::int32_t>(j + lane);
  }
  for (; j < columns; ++j)
    if (row[j] == wanted) return static_cast<std::int32_t>(j);
  return 0;  // all logits are NaN
}

// Masks out the padding in the last vector.
LogitSums sum_row(const float* HWY_RESTRICT row, std::int64_t columns) {
  const Floats d;
  const std::int64_t whole = columns / kWidth * kWidth;
  const auto is_word = hn::FirstN(d, static_cast<std::size_t>(columns - whole));
  const Vector least = hn::Set(d, std::numeric_limits<float>::lowest());
  Vector most = least, sum = hn::Zero(d);
  for (std::int64_t j = 0; j < whole; j += kWidth) {
    const Vector x = hn::LoadU(d, row + j);
    most = hn::Max(most, x);
    sum = hn::Add(sum, x);
  }
  if (whole < columns) {
    const Vector x = hn::LoadU(d, row + whole);
    most = hn::Max(most, hn::IfThenElse(is_word, x, least));
    sum = hn::Add(sum, hn::IfThenElseZero(is_word, x));
  }
  most = hn::MaxOfLanes(d, most);
  Vector powers = hn::Zero(d);
  for (std::int64_t j = 0; j < whole; j += kWidth)
    powers = hn::Add(powers, exp_up_to_88(hn::Sub(hn::LoadU(d, row + j), most)));
  if (whole < columns) {
    const Vector power = exp_up_to_88(hn::Sub(hn::LoadU(d, row + whole), most));
    powers = hn::Add(powers, hn::IfThenElseZero(is_word, power));
  }
  const float largest = hn::GetLane(most);
  return {.most = largest,
          .powers = hn::GetLane(hn::SumOfLanes(d, powers)),
          .sum = hn::GetLane(hn::SumOfLanes(d, sum)),
          .best = first_place(row, columns, largest)};
}

void sum_logits_here(const LogitRows& logits, LogitSums* out) {
  for (std::int64_t i = 0; i < logits.rows; ++i)
    out[i] = sum_row(logits.data + i * logits.row, logits.columns);
}

void differentiate_logits_here(const LogitRows& logits, const LogitGradient* rules) {
  const Floats d;
  for (std::int64_t i = 0; i < logits.rows; ++i) {
    float* HWY_RESTRICT row = logits.data + i * logits.row;
    const Vector normalizer = hn::Set(d, rules[i].log_normalizer);
    const Vector scale = hn::Set(d, rules[i].scale), spread = hn::Set(d, rules[i].spread);
    for (std::int64_t j = 0; j < logits.columns; j += kWidth) {
      const Vector power = exp_up_to_88(hn::Sub(hn::LoadU(d, row + j), normalizer));
      hn::StoreU(hn::MulSub(scale, power, spread), d, row + j);
    }
    std::fill(row + logits.columns, row + padded(logits.columns), 0.0f);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(sum_logits_here);
HWY_EXPORT(differentiate_logits_here);

void sum_logits(const LogitRows& logits, LogitSums* out) {
  HWY_DYNAMIC_DISPATCH(sum_logits_here)(logits, out);
}

void differentiate_logits(const LogitRows& logits, const LogitGradient* rules) {
  HWY_DYNAMIC_DISPATCH(differentiate_logits_here)(logits, rules);
}

}  // namespace meshwright::kernels
#endif
