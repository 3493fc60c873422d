// SPDX-License-Identifier: Apache-2.0
// Loads and stores f32 or bf16 elements as vectors of floats. Included after
// <hwy/foreach_target.h>.
#if defined(MESHWRIGHT_KERNELS_SIMD_ELEMENTS) == defined(HWY_TARGET_TOGGLE)
#ifdef MESHWRIGHT_KERNELS_SIMD_ELEMENTS
#undef MESHWRIGHT_KERNELS_SIMD_ELEMENTS
#else
#define MESHWRIGHT_KERNELS_SIMD_ELEMENTS
#endif

#include <algorithm>

#include "meshwright/kernels/simd/vectors-inl.h"
#include "meshwright/tensor/half.h"

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels::HWY_NAMESPACE {

HWY_INLINE Vector load(const float* from) {
  return hn::LoadU(Floats(), from);
}

using Halves = hn::Rebind<std::uint16_t, Floats>;

HWY_INLINE Vector widened(hn::Vec<Halves> halves) {
  const hn::RebindToUnsigned<Floats> words;
  return hn::BitCast(Floats(), hn::ShiftLeft<16>(hn::PromoteTo(words, halves)));
}

HWY_INLINE Vector load(const BFloat16* from) {
  return widened(hn::LoadU(Halves(), &from->bits));
}

HWY_INLINE void store(Vector x, float* to) {
  hn::StoreU(x, Floats(), to);
}

/// Rounds to nearest even and preserves NaN.
HWY_INLINE hn::Vec<Halves> rounded_to_halves(Vector x) {
  const hn::RebindToUnsigned<Floats> words;
  const auto bits = hn::BitCast(words, x);
  const auto is_odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(words, 1));
  const auto rounded = hn::Add(bits, hn::Add(hn::Set(words, 0x7FFF), is_odd));
  const auto is_nan = hn::RebindMask(words, hn::IsNaN(x));
  const auto kept = hn::IfThenElse(is_nan, hn::Or(bits, hn::Set(words, 0x400000)), rounded);
  // Uses signed words because DemoteTo in this version of Highway saturates only signed ones.
  const hn::Rebind<std::int32_t, Floats> integers;
  const auto high = hn::BitCast(integers, hn::ShiftRight<16>(kept));
  return hn::DemoteTo(Halves(), high);
}

HWY_INLINE void store(Vector x, BFloat16* to) {
  hn::StoreU(rounded_to_halves(x), Halves(), &to->bits);
}

#if HWY_TARGET <= HWY_AVX3  // instruction sets with mask registers

template <class D>
HWY_INLINE hn::Mask<D> first_of(D d, std::int64_t size) {
  return hn::FirstN(d, static_cast<std::size_t>(size));
}

HWY_INLINE Vector load_rest(const float* from, std::int64_t size) {
  return hn::MaskedLoad(first_of(Floats(), size), Floats(), from);
}
HWY_INLINE Vector load_rest(const BFloat16* from, std::int64_t size) {
  return widened(hn::MaskedLoad(first_of(Halves(), size), Halves(), &from->bits));
}
HWY_INLINE void store_rest(Vector x, float* to, std::int64_t size) {
  hn::BlendedStore(x, first_of(Floats(), size), Floats(), to);
}
HWY_INLINE void store_rest(Vector x, BFloat16* to, std::int64_t size) {
  hn::BlendedStore(rounded_to_halves(x), first_of(Halves(), size), Halves(), &to->bits);
}

#else

template <typename T>
HWY_INLINE Vector load_rest(const T* from, std::int64_t size) {
  T rest[kWidth] = {};
  std::copy(from, from + size, rest);
  return load(rest);
}

template <typename T>
HWY_INLINE void store_rest(Vector x, T* to, std::int64_t size) {
  T rest[kWidth];
  store(x, rest);
  std::copy(rest, rest + size, to);
}

#endif

/// Loads up to `size` elements and zeros the other lanes.
template <typename T>
HWY_INLINE Vector load_some(const T* from, std::int64_t size) {
  return size >= kWidth ? load(from) : load_rest(from, size);
}

template <typename T>
HWY_INLINE void store_some(Vector x, T* to, std::int64_t size) {
  size >= kWidth ? store(x, to) : store_rest(x, to, size);
}

}  // namespace meshwright::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
