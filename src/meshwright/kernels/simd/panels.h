// SPDX-License-Identifier: Apache-2.0
// Large products: both factors are copied into panels, in the order in which registers want them,
// and one tile of the result after the other is summed up in registers. Single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "meshwright/tensor/dtype.h"

namespace meshwright::kernels {

/// A panel has so many rows of the left factor, or columns of the right one. A tile is both.
inline constexpr std::int64_t kPanelRows = 12, kPanelColumns = 32;

/// What processors multiply: a word is an f32, or two neighbours of bf16 along the summed axis.
enum class Words { floats, bf16_pairs };

/// What factors of a dtype become here: bf16 is multiplied in pairs by processors that can.
Words words_of(DType dtype);

constexpr std::int64_t num_words(Words words, std::int64_t inner) {
  return words == Words::floats ? inner : (inner + 1) / 2;
}

/// A part of a factor, f32 or bf16. Its lines are rows of the left factor or columns of the right
/// one; along each are the elements that are summed over. Either the elements of a line are
/// neighbours, and `step` is from line to line, or the lines are, and it is from element to
/// element.
struct Lines {
  const std::byte* data = nullptr;
  DType dtype = DType::f32;
  bool is_inner_dense = true;
  std::ptrdiff_t step = 0;

  /// From this line and element on.
  Lines from(std::int64_t line, std::int64_t inner) const {
    std::int64_t at = is_inner_dense ? line * step + inner : inner * step + line;
    return {data + at * static_cast<std::ptrdiff_t>(byte_size(dtype)), dtype, is_inner_dense, step};
  }
  /// The same elements with lines and sums exchanged.
  Lines across() const { return {data, dtype, !is_inner_dense, step}; }
};

/// Panel after panel, each of num_words(words, inner) times `width` words, where width is
/// kPanelRows or kPanelColumns: first words of `width` lines, their second ones... Zeros where
/// there is no line. f32 becomes bf16 where that is multiplied.
void pack_panels(const Lines& lines,
                 std::int64_t num_lines,
                 std::int64_t inner,
                 std::int64_t width,
                 Words words,
                 std::uint32_t* panels);

/// kPanelRows x kPanelColumns sums of products of two panels, added to c if `add`.
struct Tile {
  const std::uint32_t* rows = nullptr;
  const std::uint32_t* columns = nullptr;
  std::int64_t num_words = 0;
  Words words = Words::floats;
  /// From row to row, and from word to word: those of a panel. Floats may also lie otherwise.
  std::ptrdiff_t row_step = 1, word_step = kPanelRows;
  float* c = nullptr;  ///< may be null where it is neither read nor written
  std::ptrdiff_t c_row = 0;
  bool add = false;
};
void multiply_panels(const Tile& tile);
/// Whether registers hold all sums of a tile of floats at once (AVX-512).
bool has_float_tiles();

/// What becomes of a tile: out[i, j] = sum[i, j] + bias[j] + addend[i, j], in the dtype of out.
struct TileResult {
  std::int64_t rows = 0, columns = 0;
  const float* bias = nullptr;  ///< of kPanelColumns; may be null
  DType dtype = DType::f32;
  const std::byte* addend = nullptr;  ///< lies as `out`; may be null
  std::byte* out = nullptr;
  std::ptrdiff_t out_row = 0;
};
/// The same, written there and not to c.
void multiply_panels(const Tile& tile, const TileResult& result);

/// Adds up each column of a panel.
void sum_columns(const std::uint32_t* panel, std::int64_t num_words, Words words, float* sums);

}  // namespace meshwright::kernels
