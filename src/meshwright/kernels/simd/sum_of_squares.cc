// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/sum_of_squares.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/sum_of_squares.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

// Four sums side by side, since each addition waits for the one before.
float sum_of_squares_here(const float* x, std::int64_t size) {
  const Floats d;
  Vector sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= size; i += 4 * kWidth) {
    for (std::int64_t k = 0; k < 4; ++k) {
      const Vector part = hn::LoadU(d, x + i + k * kWidth);
      sums[k] = hn::MulAdd(part, part, sums[k]);
    }
  }
  for (; i < size; i += kWidth) {
    const auto rest = static_cast<std::size_t>(std::min(kWidth, size - i));
    const Vector part = hn::MaskedLoad(hn::FirstN(d, rest), d, x + i);
    sums[0] = hn::MulAdd(part, part, sums[0]);
  }
  const Vector sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(sum_of_squares_here);

float sum_of_squares_in(const float* x, std::int64_t size) {
  return HWY_DYNAMIC_DISPATCH(sum_of_squares_here)(x, size);
}

}  // namespace meshwright::kernels
#endif
