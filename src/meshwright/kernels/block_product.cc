// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/block_product.h"

#include <algorithm>

#include "meshwright/kernels/ranges.h"
#include "meshwright/kernels/simd/product.h"

namespace meshwright::kernels {
namespace {

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

}  // namespace

std::int64_t packed_size(std::int64_t num_lines,
                         std::int64_t inner,
                         std::int64_t width,
                         Words words) {
  return rounded_up(num_lines, width) * num_words(words, inner);
}

std::int64_t block_room(std::int64_t rows, std::int64_t inner, Words words) {
  return padded(packed_size(rows, inner, kPanelRows, words)) +
         packed_size(kPanelColumns, inner, kPanelColumns, words);
}

void pack_lines(const Lines& lines,
                std::int64_t num_lines,
                std::int64_t inner,
                std::int64_t width,
                Words words,
                std::uint32_t* panels) {
  for (std::int64_t i = 0; i < num_lines; i += width)
    pack_panel(lines.from(i, 0), std::min(width, num_lines - i), inner, width, words,
               panels + i * num_words(words, inner));
}

void multiply_block(const BlockProduct& p, Words words, ScratchParts scratch) {
  const std::int64_t length = num_words(words, p.inner);
  const std::uint32_t* a = p.a.packed;
  if (a == nullptr) {
    auto* panels = reinterpret_cast<std::uint32_t*>(
        scratch.take(padded(packed_size(p.rows, p.inner, kPanelRows, words))));
    pack_lines(p.a.lines, p.rows, p.inner, kPanelRows, words, panels);
    a = panels;
  }
  std::uint32_t* panel = nullptr;
  if (p.b.packed == nullptr)
    panel = reinterpret_cast<std::uint32_t*>(scratch.take(kPanelColumns * length));
  for (std::int64_t j = 0; j < p.columns; j += kPanelColumns) {
    const Range columns{j, std::min(p.columns, j + kPanelColumns)};
    if (panel != nullptr)
      pack_lines(p.b.lines.from(j, 0), columns.size(), p.inner, kPanelColumns, words, panel);
    const std::uint32_t* b = panel != nullptr ? panel : p.b.packed + j * length;
    for (std::int64_t i = 0; i < p.rows; i += kPanelRows)
      multiply_tile(p, {.rows = a + i * length, .columns = b, .num_words = length, .words = words},
                    {i, std::min(p.rows, i + kPanelRows)}, columns);
  }
}

}  // namespace meshwright::kernels
