// SPDX-License-Identifier: Apache-2.0
// Vector types for the instruction set that the including source file is compiled for. Included
// once per instruction set, after <hwy/foreach_target.h>.
#if defined(MESHWRIGHT_KERNELS_SIMD_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef MESHWRIGHT_KERNELS_SIMD_VECTORS
#undef MESHWRIGHT_KERNELS_SIMD_VECTORS
#else
#define MESHWRIGHT_KERNELS_SIMD_VECTORS
#endif

#include <cstdint>

#include <hwy/highway.h>

#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::CappedTag<float, kLanes>;
using Vector = hn::Vec<Floats>;

inline constexpr std::int64_t kWidth = hn::MaxLanes(Floats());

}  // namespace meshwright::kernels::HWY_NAMESPACE
#endif
