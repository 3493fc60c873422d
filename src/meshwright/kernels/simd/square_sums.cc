// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/square_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/square_sums.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/elements-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename T>
HWY_INLINE Vector squares(const T* x, const float* factors, float factor, std::int64_t size) {
  Vector value = hn::Mul(load_some(x, size), hn::Set(Floats(), factor));
  if (factors != nullptr) value = hn::Mul(value, load_some(factors, size));
  return hn::Mul(value, value);
}

template <typename T>
float add_squares_of(
    const T* x, const float* factors, float factor, std::int64_t size, float* sums) {
  const Floats d;
  auto next = [&](std::int64_t i) {
    const std::int64_t rest = size - i;
    const Vector term = squares(x + i, factors == nullptr ? nullptr : factors + i, factor, rest);
    if (sums != nullptr) store_some(hn::Add(load_some(sums + i, rest), term), sums + i, rest);
    return term;
  };
  // Four independent accumulators hide the latency of the additions.
  Vector parts[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= size; i += 4 * kWidth)
    for (std::int64_t k = 0; k < 4; ++k)
      parts[k] = hn::Add(parts[k], next(i + k * kWidth));
  for (; i < size; i += kWidth)
    parts[0] = hn::Add(parts[0], next(i));
  const Vector sum = hn::Add(hn::Add(parts[0], parts[1]), hn::Add(parts[2], parts[3]));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

float of_floats(
    const float* x, const float* factors, float factor, std::int64_t size, float* sums) {
  return add_squares_of(x, factors, factor, size, sums);
}

float of_halves(
    const BFloat16* x, const float* factors, float factor, std::int64_t size, float* sums) {
  return add_squares_of(x, factors, factor, size, sums);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(of_floats);
HWY_EXPORT(of_halves);

float add_squares(
    const float* x, const float* factors, float factor, std::int64_t size, float* sums) {
  return HWY_DYNAMIC_DISPATCH(of_floats)(x, factors, factor, size, sums);
}

float add_squares(
    const BFloat16* x, const float* factors, float factor, std::int64_t size, float* sums) {
  return HWY_DYNAMIC_DISPATCH(of_halves)(x, factors, factor, size, sums);
}

}  // namespace meshwright::kernels
#endif
