// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/dropout.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/dropout.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/elements-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

// Compares as signed words, which every instruction set supports; 23 bits are never negative.
HWY_INLINE hn::Mask<Floats> stays(const Stay& stay, const std::uint32_t* bits) {
  const hn::RebindToUnsigned<Floats> words;
  const hn::RebindToSigned<Floats> integers;
  const auto drawn = hn::BitCast(integers, hn::ShiftRight<9>(hn::LoadU(words, bits)));
  return hn::RebindMask(
      Floats(), hn::Lt(drawn, hn::Set(integers, static_cast<std::int32_t>(stay.least_dropped))));
}

template <typename T>
void drop(const Stay& stay, const std::uint32_t* bits, const T* x, std::int64_t size, T* out) {
  const Vector factor = hn::Set(Floats(), stay.factor);
  for (std::int64_t i = 0; i < size; i += kWidth) {
    const std::int64_t rest = size - i;
    const Vector scaled = hn::Mul(load_some(x + i, rest), factor);
    store_some(hn::IfThenElseZero(stays(stay, bits + i), scaled), out + i, rest);
  }
}

void of_floats(
    const Stay& stay, const std::uint32_t* bits, const float* x, std::int64_t size, float* out) {
  drop(stay, bits, x, size, out);
}

void of_halves(const Stay& stay,
               const std::uint32_t* bits,
               const BFloat16* x,
               std::int64_t size,
               BFloat16* out) {
  drop(stay, bits, x, size, out);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(of_floats);
HWY_EXPORT(of_halves);

void drop_elements(
    const Stay& stay, const std::uint32_t* bits, const float* x, std::int64_t size, float* out) {
  HWY_DYNAMIC_DISPATCH(of_floats)(stay, bits, x, size, out);
}

void drop_elements(const Stay& stay,
                   const std::uint32_t* bits,
                   const BFloat16* x,
                   std::int64_t size,
                   BFloat16* out) {
  HWY_DYNAMIC_DISPATCH(of_halves)(stay, bits, x, size, out);
}

}  // namespace meshwright::kernels
#endif
