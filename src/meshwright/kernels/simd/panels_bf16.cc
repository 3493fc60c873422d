// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/panels_bf16.h"

#include "meshwright/base/check.h"
#include "meshwright/kernels/simd/bf16_target.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace meshwright::kernels {

#ifdef __x86_64__

bool has_bf16_pairs() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bf16");
  return has;
}

bool has_bf16_tiles() {
  constexpr unsigned kExtended = 7, kTilesOfBf16 = 1U << 22;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(kExtended, 0, &a, &b, &c, &d) != 0 && (d & kTilesOfBf16) != 0;
}

namespace {

constexpr int kRows = kPanelRows;
constexpr std::ptrdiff_t kWidth = 16;

using Sums = __m512[kRows][2];

MW_BF16_PAIRS_INLINE void add_up(const Tile& t, Sums& sums) {
  if (t.add) {
    for (int i = 0; i < kRows; ++i)
      for (std::ptrdiff_t half = 0; half < 2; ++half)
        _mm_prefetch(t.c + i * t.c_row + half * kWidth, _MM_HINT_T0);
  }
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
}

MW_BF16_PAIRS_INLINE __m512 with_earlier(const Tile& t,
                                         std::ptrdiff_t row,
                                         std::ptrdiff_t half,
                                         __m512 sum) {
  return t.add ? _mm512_add_ps(_mm512_loadu_ps(t.c + row * t.c_row + half * kWidth), sum) : sum;
}

MW_BF16_PAIRS_INLINE __m512 addend_at(const TileResult& r, std::int64_t at, __mmask16 mask) {
  if (r.dtype == DType::f32)
    return _mm512_maskz_loadu_ps(mask, reinterpret_cast<const float*>(r.addend) + at);
  const auto* halves = reinterpret_cast<const std::uint16_t*>(r.addend) + at;
  const __m512i words = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, halves));
  return _mm512_castsi512_ps(_mm512_slli_epi32(words, 16));
}

MW_BF16_PAIRS_INLINE void write_half(const TileResult& r,
                                     std::ptrdiff_t row,
                                     std::ptrdiff_t half,
                                     __m512 value) {
  const std::int64_t size = r.columns - half * kWidth;
  if (size <= 0) return;
  const auto mask = static_cast<__mmask16>(first_bits(size));
  if (r.bias != nullptr) value = _mm512_add_ps(value, _mm512_loadu_ps(r.bias + half * kWidth));
  const std::int64_t at = row * r.out_row + half * kWidth;
  if (r.addend != nullptr) value = _mm512_add_ps(value, addend_at(r, at, mask));
  if (r.dtype == DType::f32)
    return _mm512_mask_storeu_ps(reinterpret_cast<float*>(r.out) + at, mask, value);
  _mm256_mask_storeu_epi16(reinterpret_cast<std::uint16_t*>(r.out) + at, mask,
                           reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(value)));
}

}  // namespace

MW_BF16_PAIRS void multiply_bf16_panels(const Tile& t) {
  Sums sums;
  add_up(t, sums);
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
    float* c = t.c + i * t.c_row;
    _mm512_storeu_ps(c, with_earlier(t, i, 0, sums[i][0]));
    _mm512_storeu_ps(c + kWidth, with_earlier(t, i, 1, sums[i][1]));
  }
}

MW_BF16_PAIRS void multiply_bf16_panels(const Tile& t, const TileResult& r) {
  Sums sums;
  add_up(t, sums);
#pragma GCC unroll 12
  for (int i = 0; i < kRows; ++i) {
    if (i >= r.rows) break;
    write_half(r, i, 0, with_earlier(t, i, 0, sums[i][0]));
    write_half(r, i, 1, with_earlier(t, i, 1, sums[i][1]));
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
  fail(ErrorCode::internal, "bf16 panels need AVX-512 BF16");
}

void multiply_bf16_panels(const Tile&, const TileResult&) {
  fail(ErrorCode::internal, "bf16 panels need AVX-512 BF16");
}

#endif

}  // namespace meshwright::kernels
