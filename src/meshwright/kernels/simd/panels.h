// SPDX-License-Identifier: Apache-2.0
// Large matrix products: packs both operands into panels in register order and accumulates one tile
// of the result at a time in registers. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/tensor/dtype.h"

namespace meshwright::kernels {

/// Number of rows of the left operand, and of columns of the right operand, in a panel. A tile is
/// kPanelRows x kPanelColumns.
inline constexpr std::int64_t kPanelRows = 12, kPanelColumns = 32;

/// How panels are packed: a word is an f32, or two bf16 that are adjacent along the summed axis.
enum class PackedAs { floats, bf16_pairs };

/// Returns the packing for operands of this dtype: bf16 pairs if `dtype` is bf16 and the processor
/// can multiply them, otherwise floats.
PackedAs words_of(DType dtype);

constexpr std::int64_t num_words(PackedAs words, std::int64_t inner) {
  return words == PackedAs::floats ? inner : (inner + 1) / 2;
}

/// A block of an operand, f32 or bf16. Its lines are rows of the left operand or columns of the
/// right operand; the product sums along them. If is_inner_dense, the elements of a line are
/// contiguous and `step` is the stride between lines; otherwise the lines are adjacent and `step`
/// is the stride between elements.
struct Lines {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  bool is_inner_dense = true;
  std::ptrdiff_t step = 0;

  /// Returns the lines that start at the given line and element.
  Lines from(std::int64_t line, std::int64_t inner) const {
    std::int64_t at = is_inner_dense ? line * step + inner : inner * step + line;
    return {data + at * static_cast<std::ptrdiff_t>(byte_size(dtype)), dtype, is_inner_dense, step};
  }
  /// Returns the transpose.
  Lines across() const { return {data, dtype, !is_inner_dense, step}; }
};

/// Packs lines into consecutive panels of num_words(words, inner) x `width` words, where width is
/// kPanelRows or kPanelColumns: the first words of `width` lines, then their second words, and so
/// on. Pads the last panel with zeros. Rounds f32 to bf16 for bf16_pairs.
void pack_panels(const Lines& lines,
                 std::int64_t num_lines,
                 std::int64_t inner,
                 std::int64_t width,
                 PackedAs words,
                 std::uint32_t* panels);

/// The product of two panels: writes kPanelRows x kPanelColumns sums to c, or adds them to c if
/// `add` is true.
struct Tile {
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* columns = nullptr;
  std::int64_t num_words = 0;
  PackedAs words = PackedAs::floats;
  /// Strides between rows and between words. The defaults fit a panel; only PackedAs::floats allows
  /// others.
  std::ptrdiff_t row_step = 1, word_step = kPanelRows;
  float* c = nullptr;  ///< may be null if neither read nor written
  std::ptrdiff_t c_row = 0;
  bool add = false;
};
void multiply_panels(const Tile& tile);
/// True if registers can hold all sums of a tile of floats (AVX-512).
bool has_float_tiles();

/// The destination of a tile: out[i, j] = sum[i, j] + bias[j] + addend[i, j] in `dtype`.
struct TileResult {
  std::int64_t rows = 0, columns = 0;
  const float* bias = nullptr;  ///< kPanelColumns elements; may be null
  DType dtype = DType::f32;
  const std::byte* addend = nullptr;  ///< same layout as `out`; may be null
  std::byte* out = nullptr;
  std::ptrdiff_t out_row = 0;
};
/// Writes the tile to `result` instead of c.
void multiply_panels(const Tile& tile, const TileResult& result);

/// Sums each column of a panel.
void sum_columns(const std::uint32_t* panel, std::int64_t num_words, PackedAs words, float* sums);

}  // namespace meshwright::kernels
