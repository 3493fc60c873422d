// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/panels_bf16.h"

#include "meshwright/base/check.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace meshwright::kernels {

#ifdef __x86_64__

bool has_bf16_pairs() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bf16");
  return has;
}

bool has_bf16_tiles() {
  constexpr unsigned kExtended = 7, kTilesOfBf16 = 1U << 22;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kExtended, 0, &a, &b, &c, &d) != 0 && (d & kTilesOfBf16) != 0;
}

__attribute__((target("avx512f,avx512bf16"))) void multiply_bf16_panels(const Tile& t) {
  constexpr int kRows = kPanelRows, kWidth = 16;
  __m512 sums[kRows][2];
  for (auto& row : sums)
    row[0] = row[1] = _mm512_setzero_ps();
  const std::uint32_t *a = t.rows, *b = t.columns;
  for (std::int64_t l = 0; l < t.num_words; ++l, a += kRows, b += kPanelColumns) {
    const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b));
    const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + kWidth));
#pragma GCC unroll 12
    for (int i = 0; i < kRows; ++i) {
      const auto pair = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[i])));
      sums[i][0] = _mm512_dpbf16_ps(sums[i][0], left, pair);
      sums[i][1] = _mm512_dpbf16_ps(sums[i][1], right, pair);
    }
  }
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
    float* c = t.c + i * t.c_row;
    if (t.add) {
      sums[i][0] = _mm512_add_ps(_mm512_loadu_ps(c), sums[i][0]);
      sums[i][1] = _mm512_add_ps(_mm512_loadu_ps(c + kWidth), sums[i][1]);
    }
    _mm512_storeu_ps(c, sums[i][0]);
    _mm512_storeu_ps(c + kWidth, sums[i][1]);
  }
}

#else

bool has_bf16_pairs() {
  return false;
}

bool has_bf16_tiles() {
  return false;
}

void multiply_bf16_panels(const Tile&) {
  fail(ErrorCode::internal, "this processor has no products of bf16");
}

#endif

}  // namespace meshwright::kernels
