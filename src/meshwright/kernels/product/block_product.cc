// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/product/block_product.h"

#include <algorithm>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels {
namespace {

constexpr std::int64_t kWordsAtATime = 1 << 15;

void write_part_of_tile(const float* tile, Range rows, Range columns, const BlockProduct& p) {
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    const float* from = tile + (i - rows.begin) * kPanelColumns;
    float* to = p.c + i * p.c_row + columns.begin;
    for (std::int64_t j = 0; j < columns.size(); ++j)
      to[j] = p.add ? to[j] + from[j] : from[j];
  }
}

void multiply_tile(const BlockProduct& p, Tile tile, Range rows, Range columns) {
  const bool is_whole = rows.size() == kPanelRows && columns.size() == kPanelColumns;
  alignas(64) float rest[kPanelRows * kPanelColumns];
  tile.c = is_whole ? p.c + rows.begin * p.c_row + columns.begin : rest;
  tile.c_row = is_whole ? p.c_row : kPanelColumns;
  tile.add = is_whole && p.add;
  multiply_panels(tile);
  if (!is_whole) write_part_of_tile(rest, rows, columns, p);
}

std::int64_t line_words(const Factor& factor, std::int64_t num_words) {
  return factor.packed_words > 0 ? factor.packed_words : num_words;
}

/// The rows of the left operand: read in place before `first_packed_`, from packed panels after it.
class TileRows {
 public:
  TileRows(const BlockProduct& p, PackedAs words, ScratchParts& scratch)
      : lines_(p.a.lines),
        line_words_(line_words(p.a, num_words(words, p.inner))),
        panels_(p.a.packed) {
    if (panels_ != nullptr) return;
    if (p.rows_in_place && words == PackedAs::floats && lines_.dtype == DType::f32)
      first_packed_ = p.rows / kPanelRows * kPanelRows;
    const std::int64_t rows = p.rows - first_packed_;
    auto* panels = reinterpret_cast<std::uint32_t*>(
        scratch.take(padded(packed_size(rows, p.inner, kPanelRows, words))));
    pack_panels(lines_.from(first_packed_, 0), rows, p.inner, kPanelRows, words, panels);
    panels_ = panels;
  }

  void show(std::int64_t row, Tile& tile) const {
    if (row >= first_packed_) {
      tile.rows = panels_ + (row - first_packed_) * line_words_;
      tile.row_step = 1;
      tile.word_step = kPanelRows;
    } else {
      tile.rows = reinterpret_cast<const std::uint32_t*>(lines_.from(row, 0).data);
      tile.row_step = lines_.is_inner_dense ? lines_.step : 1;
      tile.word_step = lines_.is_inner_dense ? 1 : lines_.step;
    }
  }

 private:
  Lines lines_;
  std::int64_t line_words_, first_packed_ = 0;
  const std::uint32_t* panels_;
};

}  // namespace

std::int64_t packed_size(std::int64_t num_lines,
                         std::int64_t inner,
                         std::int64_t width,
                         PackedAs words) {
  return rounded_up(num_lines, width) * num_words(words, inner);
}

std::int64_t block_room(std::int64_t rows,
                        std::int64_t columns,
                        std::int64_t inner,
                        PackedAs words) {
  return padded(packed_size(rows, inner, kPanelRows, words)) +
         packed_size(columns, inner, kPanelColumns, words);
}

std::int64_t block_room(const BlockProduct& p, PackedAs words) {
  return block_room(p.a.packed == nullptr ? p.rows : 0, p.b.packed == nullptr ? p.columns : 0,
                    p.inner, words);
}

void multiply_block(const BlockProduct& p, PackedAs words, ScratchParts scratch) {
  const std::int64_t length = num_words(words, p.inner);
  const TileRows all_rows(p, words, scratch);
  const std::uint32_t* panels = p.b.packed;
  if (panels == nullptr) {
    const std::int64_t size = packed_size(p.columns, p.inner, kPanelColumns, words);
    auto* packed = reinterpret_cast<std::uint32_t*>(scratch.take(size));
    pack_panels(p.b.lines, p.columns, p.inner, kPanelColumns, words, packed);
    panels = packed;
  }
  // This many rows stay in a low-level cache while the panels of columns stream past.
  const std::int64_t some =
      std::max<std::int64_t>(1, kWordsAtATime / std::max<std::int64_t>(length, 1) / kPanelRows) *
      kPanelRows;
  for (std::int64_t begin = 0; begin < p.rows; begin += some) {
    const Range rows{begin, std::min(p.rows, begin + some)};
    for (std::int64_t j = 0; j < p.columns; j += kPanelColumns) {
      Tile tile{
          .columns = panels + j * line_words(p.b, length), .num_words = length, .words = words};
      for (std::int64_t i = rows.begin; i < rows.end; i += kPanelRows) {
        all_rows.show(i, tile);
        multiply_tile(p, tile, {i, std::min(p.rows, i + kPanelRows)},
                      {j, std::min(p.columns, j + kPanelColumns)});
      }
    }
  }
}

}  // namespace meshwright::kernels
