// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/pack_bf16.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/simd/bf16_target.h"

namespace meshwright::kernels {

#ifdef __x86_64__

namespace {

constexpr std::int64_t kWidth = 16;  // words in a vector

// Load contiguous elements as bf16 where the mask is set, and zeros elsewhere.
struct Halves {
  using Element = std::uint16_t;
  static MW_BF16_PAIRS_INLINE __m512i load32(const Element* from, std::uint32_t mask) {
    return _mm512_maskz_loadu_epi16(mask, from);
  }
  static MW_BF16_PAIRS_INLINE __m512i load_two16(const Element* first,
                                                 const Element* second,
                                                 std::uint16_t first_mask,
                                                 std::uint16_t second_mask) {
    const __m256i low = _mm256_maskz_loadu_epi16(first_mask, first);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_maskz_loadu_epi16(second_mask, second), 1);
  }
};

struct Singles {
  using Element = float;
  static MW_BF16_PAIRS_INLINE __m512i load_two16(const Element* first,
                                                 const Element* second,
                                                 std::uint16_t first_mask,
                                                 std::uint16_t second_mask) {
    const __m512 low = _mm512_maskz_loadu_ps(first_mask, first);
    const __m512 high = _mm512_maskz_loadu_ps(second_mask, second);
    return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
  }
  static MW_BF16_PAIRS_INLINE __m512i load32(const Element* from, std::uint32_t mask) {
    return load_two16(from, from + kWidth, static_cast<std::uint16_t>(mask),
                      static_cast<std::uint16_t>(mask >> kWidth));
  }
};

/// Transposes a 16 x 16 matrix of words.
MW_BF16_PAIRS_INLINE void transpose(__m512i (&v)[16]) {
  __m512i fours[16];  // [4 g + c]: columns c, c + 4, c + 8, c + 12 of lines 4 g to 4 g + 3
#pragma GCC unroll 4
  for (int g = 0; g < 16; g += 4) {
    const __m512i low01 = _mm512_unpacklo_epi32(v[g], v[g + 1]);
    const __m512i high01 = _mm512_unpackhi_epi32(v[g], v[g + 1]);
    const __m512i low23 = _mm512_unpacklo_epi32(v[g + 2], v[g + 3]);
    const __m512i high23 = _mm512_unpackhi_epi32(v[g + 2], v[g + 3]);
    fours[g] = _mm512_unpacklo_epi64(low01, low23);
    fours[g + 1] = _mm512_unpackhi_epi64(low01, low23);
    fours[g + 2] = _mm512_unpacklo_epi64(high01, high23);
    fours[g + 3] = _mm512_unpackhi_epi64(high01, high23);
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    const __m512i even01 = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0x88);
    const __m512i odd01 = _mm512_shuffle_i32x4(fours[c], fours[4 + c], 0xdd);
    const __m512i even23 = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0x88);
    const __m512i odd23 = _mm512_shuffle_i32x4(fours[8 + c], fours[12 + c], 0xdd);
    v[c] = _mm512_shuffle_i32x4(even01, even23, 0x88);
    v[4 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0x88);
    v[8 + c] = _mm512_shuffle_i32x4(even01, even23, 0xdd);
    v[12 + c] = _mm512_shuffle_i32x4(odd01, odd23, 0xdd);
  }
}

/// Packs a panel of lines whose elements are contiguous.
template <typename Load>
MW_BF16_PAIRS void pack_along(const Lines& lines,
                              std::int64_t num_lines,
                              std::int64_t inner,
                              std::int64_t width,
                              std::uint32_t* panel) {
  const auto* from = reinterpret_cast<const typename Load::Element*>(lines.data);
  for (std::int64_t l = 0; l < inner; l += 2 * kWidth, panel += kWidth * width) {
    const std::uint32_t elements = first_bits(inner - l);
    const std::int64_t num_words = std::min((inner - l + 1) / 2, kWidth);
    for (std::int64_t i = 0; i < width; i += kWidth) {
      __m512i v[16];
#pragma GCC unroll 16
      for (int j = 0; j < 16; ++j)
        v[j] = i + j < num_lines ? Load::load32(from + (i + j) * lines.step + l, elements)
                                 : _mm512_setzero_si512();
      transpose(v);
      const auto stored = static_cast<__mmask16>(first_bits(width - i));
#pragma GCC unroll 16
      for (int w = 0; w < 16; ++w)
        if (w < num_words) _mm512_mask_storeu_epi32(panel + w * width + i, stored, v[w]);
    }
  }
}

/// Returns the permutation 0, 16, 1, 17, ..., which interleaves two halves.
MW_BF16_PAIRS_INLINE __m512i halves_as_pairs() {
  const __m512i first = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(kWidth));
  return _mm512_or_si512(first, _mm512_slli_epi32(second, 16));
}

/// Prefetch distance. Hardware prefetchers do not follow large strides; prefetching past the end is
/// harmless.
constexpr std::int64_t kWordsAhead = 12;

/// Packs the given words of one panel of lines that are adjacent in memory.
template <typename Load, int kPanelWidth>
MW_BF16_PAIRS void pack_across(const Lines& lines,
                               std::int64_t num_lines,
                               std::int64_t inner,
                               Range words,
                               std::uint32_t* panel) {
  constexpr int kVectors = (kPanelWidth + kWidth - 1) / kWidth;
  constexpr auto kStored = static_cast<__mmask16>(first_bits(kPanelWidth));
  const auto* from = reinterpret_cast<const typename Load::Element*>(lines.data);
  const __m512i order = halves_as_pairs();
  __mmask16 there[kVectors];
  for (int v = 0; v < kVectors; ++v)
    there[v] = static_cast<__mmask16>(first_bits(num_lines - v * kWidth));
  const std::int64_t whole = std::min(words.end, inner / 2);
  for (std::int64_t w = words.begin; w < whole; ++w) {
    const auto* first = from + 2 * w * lines.step;
    _mm_prefetch(first + 2 * kWordsAhead * lines.step, _MM_HINT_T0);
    _mm_prefetch(first + (2 * kWordsAhead + 1) * lines.step, _MM_HINT_T0);
    for (int v = 0; v < kVectors; ++v) {
      const __m512i halves =
          Load::load_two16(first + v * kWidth, first + v * kWidth + lines.step, there[v], there[v]);
      _mm512_mask_storeu_epi32(panel + w * kPanelWidth + v * kWidth, kStored,
                               _mm512_permutexvar_epi16(order, halves));
    }
  }
  if (whole == words.end) return;
  const auto* last = from + 2 * whole * lines.step;
  for (int v = 0; v < kVectors; ++v) {
    const __m512i halves = Load::load_two16(last + v * kWidth, last, there[v], 0);
    _mm512_mask_storeu_epi32(panel + whole * kPanelWidth + v * kWidth, kStored,
                             _mm512_permutexvar_epi16(order, halves));
  }
}

/// Packs this many words of all panels before the next ones, since neighbouring panels share cache
/// lines.
constexpr std::int64_t kWordsAtATime = 32;

template <typename Load, int kPanelWidth>
void pack_all_across(const Lines& lines,
                     std::int64_t num_lines,
                     std::int64_t inner,
                     std::uint32_t* panels) {
  const std::int64_t all_words = num_words(PackedAs::bf16_pairs, inner);
  for (std::int64_t begin = 0; begin < all_words; begin += kWordsAtATime) {
    const Range words{begin, std::min(all_words, begin + kWordsAtATime)};
    for (std::int64_t i = 0; i < num_lines; i += kPanelWidth)
      pack_across<Load, kPanelWidth>(lines.from(i, 0), num_lines - i, inner, words,
                                     panels + i * all_words);
  }
}

template <typename Load>
void pack(const Lines& lines,
          std::int64_t num_lines,
          std::int64_t inner,
          std::int64_t width,
          std::uint32_t* panels) {
  if (!lines.is_inner_dense)
    return width == kPanelRows
               ? pack_all_across<Load, kPanelRows>(lines, num_lines, inner, panels)
               : pack_all_across<Load, kPanelColumns>(lines, num_lines, inner, panels);
  const std::int64_t line_words = num_words(PackedAs::bf16_pairs, inner);
  for (std::int64_t i = 0; i < num_lines; i += width)
    pack_along<Load>(lines.from(i, 0), std::min(width, num_lines - i), inner, width,
                     panels + i * line_words);
}

}  // namespace

void pack_bf16_panels(const Lines& lines,
                      std::int64_t num_lines,
                      std::int64_t inner,
                      std::int64_t width,
                      std::uint32_t* panels) {
  lines.dtype == DType::bf16 ? pack<Halves>(lines, num_lines, inner, width, panels)
                             : pack<Singles>(lines, num_lines, inner, width, panels);
}

MW_BF16_PAIRS void sum_bf16_columns(const std::uint32_t* panel,
                                    std::int64_t num_words,
                                    float* sums) {
  for (std::int64_t column = 0; column < kPanelColumns; column += kWidth) {
    __m512 even = _mm512_setzero_ps(), odd = even;
    for (std::int64_t l = 0; l < num_words; ++l) {
      const __m512i word = _mm512_loadu_si512(panel + l * kPanelColumns + column);
      const __m512i high = _mm512_and_si512(word, _mm512_set1_epi32(static_cast<int>(0xFFFF0000)));
      even = _mm512_add_ps(even, _mm512_castsi512_ps(_mm512_slli_epi32(word, 16)));
      odd = _mm512_add_ps(odd, _mm512_castsi512_ps(high));
    }
    _mm512_storeu_ps(sums + column, _mm512_add_ps(even, odd));
  }
}

#else

void pack_bf16_panels(const Lines&, std::int64_t, std::int64_t, std::int64_t, std::uint32_t*) {
  fail(ErrorCode::internal, "bf16 panels need AVX-512 BF16");
}

void sum_bf16_columns(const std::uint32_t*, std::int64_t, float*) {
  fail(ErrorCode::internal, "bf16 panels need AVX-512 BF16");
}

#endif

}  // namespace meshwright::kernels
