// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/halves.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/halves.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/vectors-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

using Words = hn::Rebind<std::uint32_t, Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;

void widen_here(const std::uint16_t* HWY_RESTRICT from,
                std::int64_t count,
                float* HWY_RESTRICT to) {
  const Floats d;
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(Words(), hn::LoadU(Halves(), from + i)));
    hn::StoreU(hn::BitCast(d, bits), d, to + i);
  }
  for (; i < count; ++i) {
    const std::uint32_t bits = std::uint32_t{from[i]} << 16;
    std::memcpy(to + i, &bits, sizeof bits);
  }
}

void narrow_here(const float* HWY_RESTRICT from,
                 std::int64_t count,
                 std::uint16_t* HWY_RESTRICT to) {
  const Floats d;
  const Words words;
  const auto one = hn::Set(words, 1), below_half = hn::Set(words, 0x7fff);
  const auto quiet = hn::Set(words, 0x400000);
  std::int64_t i = 0;
  for (; i + kWidth <= count; i += kWidth) {
    const Vector x = hn::LoadU(d, from + i);
    const auto bits = hn::BitCast(words, x);
    const auto is_odd = hn::And(hn::ShiftRight<16>(bits), one);
    const auto rounded = hn::Add(bits, hn::Add(below_half, is_odd));
    const auto is_nan = hn::RebindMask(words, hn::IsNaN(x));
    const auto kept = hn::IfThenElse(is_nan, hn::Or(bits, quiet), rounded);
    // Signed, since the narrowing of this version of Highway saturates signed words only.
    const hn::Rebind<std::int32_t, Floats> integers;
    const auto high = hn::BitCast(integers, hn::ShiftRight<16>(kept));
    hn::StoreU(hn::DemoteTo(Halves(), high), Halves(), to + i);
  }
  for (; i < count; ++i)
    to[i] = BFloat16(from[i]).bits;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(widen_here);
HWY_EXPORT(narrow_here);

void convert(const BFloat16* from, std::int64_t count, float* to) {
  HWY_DYNAMIC_DISPATCH(widen_here)(&from->bits, count, to);
}

void convert(const float* from, std::int64_t count, BFloat16* to) {
  HWY_DYNAMIC_DISPATCH(narrow_here)(from, count, &to->bits);
}

void convert(const float* from, std::int64_t count, float* to) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

}  // namespace meshwright::kernels
#endif
