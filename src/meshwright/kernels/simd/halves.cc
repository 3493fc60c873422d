// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/halves.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/halves.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include "meshwright/kernels/simd/elements-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

template <typename From, typename To>
HWY_INLINE void convert_all(const From* from, std::int64_t count, To* to) {
  for (std::int64_t i = 0; i < count; i += kWidth)
    store_some(load_some(from + i, count - i), to + i, count - i);
}

void widen_here(const BFloat16* from, std::int64_t count, float* to) {
  convert_all(from, count, to);
}
void narrow_here(const float* from, std::int64_t count, BFloat16* to) {
  convert_all(from, count, to);
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
  HWY_DYNAMIC_DISPATCH(widen_here)(from, count, to);
}

void convert(const float* from, std::int64_t count, BFloat16* to) {
  HWY_DYNAMIC_DISPATCH(narrow_here)(from, count, to);
}

void convert(const float* from, std::int64_t count, float* to) {
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}

}  // namespace meshwright::kernels
#endif
