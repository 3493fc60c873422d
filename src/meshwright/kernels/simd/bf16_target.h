// SPDX-License-Identifier: Apache-2.0
// For functions that use AVX-512 BF16, in a program for any processor.
#pragma once

#ifdef __x86_64__
// GCC 12 takes what its own header leaves undefined for a mistake.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#define MW_BF16_PAIRS __attribute__((target("avx512f,avx512bw,avx512vl,avx512bf16")))
#define MW_BF16_PAIRS_INLINE MW_BF16_PAIRS inline __attribute__((always_inline))
#endif
