// SPDX-License-Identifier: Apache-2.0
// An exponential function with a smaller range than Highway's. It needs two thirds of the
// operations. Included after <hwy/foreach_target.h>.
#if defined(MESHWRIGHT_KERNELS_SIMD_EXP) == defined(HWY_TARGET_TOGGLE)
#ifdef MESHWRIGHT_KERNELS_SIMD_EXP
#undef MESHWRIGHT_KERNELS_SIMD_EXP
#else
#define MESHWRIGHT_KERNELS_SIMD_EXP
#endif

#include "meshwright/kernels/simd/vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels::HWY_NAMESPACE {

/// Returns exp(x) for x up to 88 with a relative error of at most 2e-7. Returns 0 for x below -87
/// and for NaN, and exactly 1 for x = 0.
HWY_INLINE Vector exp_up_to_88(Vector x) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> words;
  // x = n ln 2 + r. Adding `shift` rounds n to an integer and leaves it in the low bits.
  const Vector shift = hn::Set(d, 12582912.0f);  // 1.5 * 2^23
  const Vector shifted = hn::MulAdd(x, hn::Set(d, 1.442695041f), shift);
  const Vector n = hn::Sub(shifted, shift);
  // Splits ln 2 into two terms. The first term ends in zero bits, so its product with n is exact.
  Vector r = hn::NegMulAdd(n, hn::Set(d, 0.693115234375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, 3.194618494e-5f), r);
  // Fitted to exp(r) = 1 + r + r^2 p(r) for |r| <= ln(2) / 2.
  Vector p = hn::MulAdd(r, hn::Set(d, 0.001381459638f), hn::Set(d, 0.008368717091f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.04166838809f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.1666652063f));
  p = hn::MulAdd(r, p, hn::Set(d, 0.4999999345f));
  const Vector power = hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), hn::Set(d, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(words, shifted));
  const Vector scaled = hn::BitCast(d, hn::Add(hn::BitCast(words, power), exponent));
  return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, -87.0f)), scaled);
}

}  // namespace meshwright::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
