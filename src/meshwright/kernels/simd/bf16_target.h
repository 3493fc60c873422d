// SPDX-License-Identifier: Apache-2.0
// Attributes for functions that use AVX-512 BF16 instructions in a portable binary.
#pragma once

#ifdef __x86_64__
#include <cstdint>

// GCC 12 warns about its own intrinsics header, which leaves values undefined on purpose.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#define MW_BF16_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define MW_BF16_PAIRS_INLINE MW_BF16_PAIRS inline __attribute__((always_inline))

namespace meshwright::kernels {

/// Returns a mask of the low `size` bits; `size` is clamped to [0, 32].
constexpr std::uint32_t first_bits(std::int64_t size) {
  if (size >= 32) return ~0U;
  return size <= 0 ? 0 : (1U << size) - 1;
}

}  // namespace meshwright::kernels
#endif
