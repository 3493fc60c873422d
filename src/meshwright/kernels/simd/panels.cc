// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/simd/panels.h"

#include <algorithm>

#include "meshwright/kernels/simd/pack_bf16.h"
#include "meshwright/kernels/simd/panels_bf16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "meshwright/kernels/simd/panels.cc"
// The order matters: foreach_target.h comes first.
// clang-format off
#include <hwy/foreach_target.h>
#include <hwy/cache_control.h>
#include "meshwright/kernels/simd/elements-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace meshwright::kernels {
namespace HWY_NAMESPACE {
namespace {

using Ints = hn::RebindToUnsigned<Floats>;

// Loaders that convert f32 or bf16 elements to f32 words.
struct OfFloats {
  using Element = std::uint32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const Element* from) {
    return hn::LoadU(d, from);
  }
};

struct OfHalves {
  using Element = std::uint16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> load(D d, const Element* from) {
    const hn::Rebind<std::uint16_t, D> halves;
    return hn::ShiftLeft<16>(hn::PromoteTo(d, hn::LoadU(halves, from)));
  }
};

/// Prefetch distance. Hardware prefetchers do not follow large strides; prefetching past the end is
/// harmless.
constexpr std::ptrdiff_t kElementsAhead = 24;

/// Packs a panel of lines that are adjacent in memory.
template <class Load, int kPanelWidth>
void pack_across(const typename Load::Element* from,
                 std::ptrdiff_t step,
                 std::int64_t num_lines,
                 std::int64_t inner,
                 std::uint32_t* HWY_RESTRICT panel) {
  using Element = typename Load::Element;
  const hn::CappedTag<std::uint32_t, kPanelWidth == kPanelColumns ? kLanes : 4> d;
  constexpr std::int64_t kStep = hn::MaxLanes(d);
  const std::int64_t whole = num_lines / kStep * kStep;
  alignas(64) Element rest[kPanelWidth] = {};
  for (std::int64_t l = 0; l < inner; ++l, from += step, panel += kPanelWidth) {
    hwy::Prefetch(from + kElementsAhead * step);
    std::int64_t i = 0;
    for (; i < whole; i += kStep)
      hn::StoreU(Load::load(d, from + i), d, panel + i);
    if (i == kPanelWidth) continue;
    std::copy(from + i, from + num_lines, rest + i);
    for (; i < kPanelWidth; i += kStep)
      hn::StoreU(Load::load(d, rest + i), d, panel + i);
  }
}

#if HWY_TARGET == HWY_SCALAR

template <class D>
HWY_INLINE void store_transposed(
    D, const hn::Vec<D> (&lines)[4], std::int64_t, std::int64_t, std::uint32_t* out) {
  for (int i = 0; i < 4; ++i)
    out[i] = hn::GetLane(lines[i]);
}

#else

/// Transposes four vectors, one per line, and stores the resulting groups of four words `width`
/// apart.
template <class D>
HWY_INLINE void store_transposed(
    D d, const hn::Vec<D> (&lines)[4], std::int64_t width, std::int64_t words, std::uint32_t* out) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto low = hn::BitCast(pairs, hn::InterleaveLower(d, lines[0], lines[1]));
  const auto high = hn::BitCast(pairs, hn::InterleaveUpper(d, lines[0], lines[1]));
  const auto low2 = hn::BitCast(pairs, hn::InterleaveLower(d, lines[2], lines[3]));
  const auto high2 = hn::BitCast(pairs, hn::InterleaveUpper(d, lines[2], lines[3]));
  alignas(64) std::uint32_t fours[4][hn::MaxLanes(D())];
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, low, low2)), d, fours[0]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, low, low2)), d, fours[1]);
  hn::Store(hn::BitCast(d, hn::InterleaveLower(pairs, high, high2)), d, fours[2]);
  hn::Store(hn::BitCast(d, hn::InterleaveUpper(pairs, high, high2)), d, fours[3]);
  const hn::FixedTag<std::uint32_t, 4> four;
  for (std::int64_t l = 0; l < words; ++l)
    hn::StoreU(hn::Load(four, fours[l % 4] + l / 4 * 4), four, out + l * width);
}

#endif

/// Loads the next words of a line that has `size` elements left; zeros the rest.
template <class Load>
HWY_INLINE hn::Vec<Ints> next_words(const typename Load::Element* from, std::int64_t size) {
  using Element = typename Load::Element;
  const Ints d;
  if (size >= kWidth) return Load::load(d, from);
  alignas(64) Element rest[kWidth];
  std::fill(std::copy(from, from + size, rest), rest + kWidth, Element(0));
  return Load::load(d, rest);
}

/// Packs a panel of lines whose elements are contiguous.
template <class Load>
void pack_along(const typename Load::Element* from,
                std::ptrdiff_t step,
                std::int64_t num_lines,
                std::int64_t inner,
                std::int64_t width,
                std::uint32_t* HWY_RESTRICT panel) {
  const Ints d;
  for (std::int64_t l = 0; l < inner; l += kWidth, panel += kWidth * width) {
    for (std::int64_t i = 0; i < width; i += 4) {
      hn::Vec<Ints> lines[4];
      for (std::int64_t part = 0; part < 4; ++part) {
        const std::int64_t line = i + part;
        lines[part] =
            line < num_lines ? next_words<Load>(from + line * step + l, inner - l) : hn::Zero(d);
      }
      store_transposed(d, lines, width, std::min(inner - l, kWidth), panel + i);
    }
  }
}

template <class Load>
void pack_as(const Lines& lines,
             std::int64_t num_lines,
             std::int64_t inner,
             std::int64_t width,
             std::uint32_t* panel) {
  const auto* from = reinterpret_cast<const typename Load::Element*>(lines.data);
  if (lines.is_inner_dense) {
    pack_along<Load>(from, lines.step, num_lines, inner, width, panel);
  } else if (width == kPanelRows) {
    pack_across<Load, kPanelRows>(from, lines.step, num_lines, inner, panel);
  } else {
    pack_across<Load, kPanelColumns>(from, lines.step, num_lines, inner, panel);
  }
}

void pack_floats_here(const Lines& lines,
                      std::int64_t num_lines,
                      std::int64_t inner,
                      std::int64_t width,
                      std::uint32_t* panels) {
  for (std::int64_t i = 0; i < num_lines; i += width) {
    const Lines of_panel = lines.from(i, 0);
    const std::int64_t num = std::min(width, num_lines - i);
    lines.dtype == DType::bf16 ? pack_as<OfHalves>(of_panel, num, inner, width, panels + i * inner)
                               : pack_as<OfFloats>(of_panel, num, inner, width, panels + i * inner);
  }
}

// Register block: a whole tile with AVX-512, a fraction of it with narrower vectors.
constexpr int kTileRows = HWY_TARGET <= HWY_AVX3 ? 12 : 6;
constexpr int kTileVectors = 2;

HWY_INLINE void multiply_part(const Tile& t,
                              std::ptrdiff_t row_step,
                              std::ptrdiff_t word_step,
                              std::int64_t row,
                              std::int64_t column) {
  const Floats d;
  Vector sums[kTileRows][kTileVectors];
  for (auto& of_row : sums)
    for (Vector& sum : of_row)
      sum = hn::Zero(d);
  const auto* a = reinterpret_cast<const float*>(t.rows) + row * row_step;
  const auto* b = reinterpret_cast<const float*>(t.columns) + column;
  for (std::int64_t l = 0; l < t.num_words; ++l, a += word_step, b += kPanelColumns) {
    Vector columns[kTileVectors];
    for (int j = 0; j < kTileVectors; ++j)
      columns[j] = hn::LoadU(d, b + j * kWidth);
    HWY_UNROLL(12)
    for (int i = 0; i < kTileRows; ++i) {
      const Vector factor = hn::Set(d, a[i * row_step]);
      for (int j = 0; j < kTileVectors; ++j)
        sums[i][j] = hn::MulAdd(factor, columns[j], sums[i][j]);
    }
  }
  for (int i = 0; i < kTileRows; ++i) {
    for (int j = 0; j < kTileVectors; ++j) {
      float* at = t.c + (row + i) * t.c_row + column + j * kWidth;
      hn::StoreU(t.add ? hn::Add(hn::LoadU(d, at), sums[i][j]) : sums[i][j], d, at);
    }
  }
}

HWY_INLINE void multiply_parts(const Tile& t, std::ptrdiff_t row_step, std::ptrdiff_t word_step) {
  for (std::int64_t row = 0; row < kPanelRows; row += kTileRows)
    for (std::int64_t column = 0; column < kPanelColumns; column += kTileVectors * kWidth)
      multiply_part(t, row_step, word_step, row, column);
}

void multiply_floats_here(const Tile& t) {
  const bool is_panel = t.row_step == 1 && t.word_step == kPanelRows;
  is_panel ? multiply_parts(t, 1, kPanelRows) : multiply_parts(t, t.row_step, t.word_step);
}

bool has_float_tiles_here() {
  return kTileRows == kPanelRows;
}

void sum_float_columns_here(const std::uint32_t* panel, std::int64_t num_words, float* sums) {
  const Floats d;
  const auto* numbers = reinterpret_cast<const float*>(panel);
  for (std::int64_t column = 0; column < kPanelColumns; column += kWidth) {
    Vector sum = hn::Zero(d);
    for (std::int64_t l = 0; l < num_words; ++l)
      sum = hn::Add(sum, hn::LoadU(d, numbers + l * kPanelColumns + column));
    hn::StoreU(sum, d, sums + column);
  }
}

template <typename T>
HWY_INLINE void write_vector(const TileResult& r, Vector value, std::int64_t i, std::int64_t j) {
  const std::int64_t at = i * r.out_row + j, size = r.columns - j;
  if (r.addend != nullptr)
    value = hn::Add(value, load_some(reinterpret_cast<const T*>(r.addend) + at, size));
  store_some(value, reinterpret_cast<T*>(r.out) + at, size);
}

void multiply_floats_to_here(const Tile& t, const TileResult& r) {
  alignas(64) float here[kPanelRows * kPanelColumns];
  Tile tile = t;
  if (!t.add) tile.c = here;
  if (!t.add) tile.c_row = kPanelColumns;
  multiply_floats_here(tile);
  const Floats d;
  for (std::int64_t i = 0; i < r.rows; ++i) {
    for (std::int64_t j = 0; j < r.columns; j += kWidth) {
      Vector value = hn::LoadU(d, tile.c + i * tile.c_row + j);
      if (r.bias != nullptr) value = hn::Add(value, hn::LoadU(d, r.bias + j));
      r.dtype == DType::f32 ? write_vector<float>(r, value, i, j)
                            : write_vector<BFloat16>(r, value, i, j);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace meshwright::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace meshwright::kernels {

HWY_EXPORT(pack_floats_here);
HWY_EXPORT(multiply_floats_here);
HWY_EXPORT(multiply_floats_to_here);
HWY_EXPORT(sum_float_columns_here);
HWY_EXPORT(has_float_tiles_here);

PackedAs words_of(DType dtype) {
  return dtype == DType::bf16 && has_bf16_pairs() ? PackedAs::bf16_pairs : PackedAs::floats;
}

void pack_panels(const Lines& lines,
                 std::int64_t num_lines,
                 std::int64_t inner,
                 std::int64_t width,
                 PackedAs words,
                 std::uint32_t* panels) {
  if (words == PackedAs::bf16_pairs)
    return pack_bf16_panels(lines, num_lines, inner, width, panels);
  HWY_DYNAMIC_DISPATCH(pack_floats_here)(lines, num_lines, inner, width, panels);
}

void multiply_panels(const Tile& tile) {
  if (tile.words == PackedAs::bf16_pairs) return multiply_bf16_panels(tile);
  HWY_DYNAMIC_DISPATCH(multiply_floats_here)(tile);
}

bool has_float_tiles() {
  return HWY_DYNAMIC_DISPATCH(has_float_tiles_here)();
}

void multiply_panels(const Tile& tile, const TileResult& result) {
  if (tile.words == PackedAs::bf16_pairs) return multiply_bf16_panels(tile, result);
  HWY_DYNAMIC_DISPATCH(multiply_floats_to_here)(tile, result);
}

void sum_columns(const std::uint32_t* panel, std::int64_t num_words, PackedAs words, float* sums) {
  if (words == PackedAs::bf16_pairs) return sum_bf16_columns(panel, num_words, sums);
  HWY_DYNAMIC_DISPATCH(sum_float_columns_here)(panel, num_words, sums);
}

}  // namespace meshwright::kernels
#endif
