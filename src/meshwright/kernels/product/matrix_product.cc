// SPDX-License-Identifier: Apache-2.0
// The right operand is packed once for all tasks, as many columns at a time as fit into the
// last-level cache; each task packs its own rows of the left operand. If a sum has more elements
// than the lower-level caches hold, its partial sums are kept in memory between blocks.
#include "meshwright/kernels/product/matrix_product.h"

#include <algorithm>

#include "meshwright/kernels/common/ranges.h"
#include "meshwright/kernels/common/scratch.h"
#include "meshwright/kernels/simd/lanes.h"
#include "meshwright/tensor/half.h"

namespace meshwright::kernels {
namespace {

// In words of four bytes.
constexpr std::int64_t kMaxInner = 1024;
constexpr std::int64_t kColumnsAtATime = 1 << 19;
constexpr std::int64_t kRowsOfTask = 1 << 15;
constexpr std::int64_t kMaxRows = 4096;
constexpr std::int64_t kFewestTasks = 16;

template <typename Body>
void for_each(const pjrt::KernelCall* call, std::int64_t count, const Body& body) {
  if (call != nullptr && count > 1) return call->parallel_for(count, body);
  for (std::int64_t i = 0; i < count; ++i)
    body(i);
}

class Multiplication {
 public:
  Multiplication(const MatrixProduct& product, const pjrt::KernelCall* call)
      : p_(product), call_(call), words_(words_of(product.dtype)) {
    const std::int64_t all = num_words(words_, p_.inner);
    const std::int64_t blocks = std::max<std::int64_t>(1, num_chunks(all, kMaxInner));
    block_words_ = rounded_up(num_chunks(std::max<std::int64_t>(all, 1), blocks), 16);
    block_ = words_ == PackedAs::floats ? block_words_ : 2 * block_words_;
    // Every chunk of columns recomputes the activation of the rows, so use larger chunks.
    const std::int64_t at_a_time = (p_.a.activation ? 2 : 1) * kColumnsAtATime;
    max_columns_ = std::clamp(at_a_time / block_words_ / kPanelColumns * kPanelColumns,
                              kPanelColumns, rounded_up(p_.columns, kPanelColumns));
    keeps_sums_ = p_.inner > block_;
  }

  void run() {
    const std::int64_t max_rows = rounded_up(std::min(p_.rows, kMaxRows), kPanelRows);
    const std::int64_t panels = max_columns_ * block_words_;
    SharedScratch scratch(panels + (keeps_sums_ ? max_rows * max_columns_ : 0));
    panels_ = reinterpret_cast<std::uint32_t*>(scratch.take(panels));
    if (keeps_sums_) sums_ = scratch.take(max_rows * max_columns_);
    for (std::int64_t row = 0; row < p_.rows; row += kMaxRows) {
      rows_ = {row, std::min(p_.rows, row + kMaxRows)};
      for (std::int64_t column = 0; column < p_.columns; column += max_columns_) {
        columns_ = {column, std::min(p_.columns, column + max_columns_)};
        for (std::int64_t l = 0; l == 0 || l < p_.inner; l += block_) {
          inner_ = {l, std::min(p_.inner, l + block_)};
          multiply_block();
        }
      }
    }
  }

 private:
  void multiply_block() {
    inner_words_ = num_words(words_, inner_.size());
    for_each(call_, num_chunks(columns_.size(), kPanelColumns), [this](std::int64_t panel) {
      pack_columns(chunk_of(columns_, kPanelColumns, panel));
    });
    const std::int64_t rows =
        std::clamp<std::int64_t>(kRowsOfTask / std::max<std::int64_t>(inner_words_, 1) / kPanelRows,
                                 2, 4) *
        kPanelRows;
    const std::int64_t by_rows = num_chunks(rows_.size(), rows);
    const std::int64_t wanted = num_chunks(kFewestTasks, by_rows);
    const std::int64_t columns =
        std::max(rounded_up(num_chunks(columns_.size(), wanted), kPanelColumns), 4 * kPanelColumns);
    for_each(call_, by_rows * num_chunks(columns_.size(), columns), [&](std::int64_t task) {
      multiply_part(chunk_of(rows_, rows, task % by_rows),
                    chunk_of(columns_, columns, task / by_rows));
    });
  }

  std::uint32_t* panel_at(std::int64_t column) const {
    return panels_ + (column - columns_.begin) * inner_words_;
  }

  void pack_columns(Range columns) const {
    std::uint32_t* to = panel_at(columns.begin);
    pack_panels(p_.b.from(columns.begin, inner_.begin), columns.size(), inner_.size(),
                kPanelColumns, words_, to);
    if (p_.b_sums == nullptr || rows_.begin > 0) return;
    alignas(64) float sums[kPanelColumns];
    sum_columns(to, inner_words_, words_, sums);
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      float& sum = p_.b_sums[j];
      sum = inner_.begin == 0 ? sums[j - columns.begin] : sum + sums[j - columns.begin];
    }
  }

  void multiply_part(Range rows, Range columns) const {
    const std::int64_t size = rounded_up(rows.size(), kPanelRows) * inner_words_;
    Scratch scratch(padded(size) + activation_room(p_.a, rows.size(), inner_.size()));
    auto* packed = reinterpret_cast<std::uint32_t*>(scratch.take(padded(size)));
    pack_panels(activated(p_.a, rows, inner_, scratch), rows.size(), inner_.size(), kPanelRows,
                words_, packed);
    for (std::int64_t j = columns.begin; j < columns.end; j += kPanelColumns) {
      const Range tile_columns{j, std::min(columns.end, j + kPanelColumns)};
      alignas(64) float bias[kPanelColumns];
      read_bias(tile_columns, bias);
      for (std::int64_t i = rows.begin; i < rows.end; i += kPanelRows) {
        const Range tile_rows{i, std::min(rows.end, i + kPanelRows)};
        multiply_tile(packed + (i - rows.begin) * inner_words_, tile_rows, tile_columns, bias);
      }
    }
    if (p_.activation && inner_.end == p_.inner)
      differentiate(*p_.activation, {rows, columns, p_.columns}, p_.out_dtype, p_.out);
  }

  void multiply_tile(const std::uint32_t* rows_panel,
                     Range rows,
                     Range columns,
                     const float* bias) const {
    const std::int64_t sums_row = rounded_up(columns_.size(), kPanelColumns);
    const std::int64_t sums_at =
        (rows.begin - rows_.begin) * sums_row + columns.begin - columns_.begin;
    const Tile tile{.rows = rows_panel,
                    .columns = panel_at(columns.begin),
                    .num_words = inner_words_,
                    .words = words_,
                    .c = keeps_sums_ ? sums_ + sums_at : nullptr,
                    .c_row = sums_row,
                    .add = inner_.begin > 0};
    if (inner_.end < p_.inner) return multiply_panels(tile);
    const std::ptrdiff_t at = (rows.begin * p_.columns + columns.begin) *
                              static_cast<std::ptrdiff_t>(byte_size(p_.out_dtype));
    multiply_panels(tile, {.rows = rows.size(),
                           .columns = columns.size(),
                           .bias = p_.bias == nullptr ? nullptr : bias,
                           .dtype = p_.out_dtype,
                           .addend = p_.addend == nullptr ? nullptr : p_.addend + at,
                           .out = p_.out + at,
                           .out_row = p_.columns});
  }

  void read_bias(Range columns, float* bias) const {
    if (p_.bias == nullptr) return;
    std::fill_n(bias, kPanelColumns, 0.0f);
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      bias[j - columns.begin] =
          p_.bias_dtype == DType::f32
              ? reinterpret_cast<const float*>(p_.bias)[j]
              : static_cast<float>(reinterpret_cast<const BFloat16*>(p_.bias)[j]);
    }
  }

  const MatrixProduct& p_;
  const pjrt::KernelCall* call_;
  const PackedAs words_;
  std::int64_t block_words_ = 0, block_ = 0, max_columns_ = 0;
  bool keeps_sums_ = false;
  std::uint32_t* panels_ = nullptr;
  float* sums_ = nullptr;
  // The block being multiplied.
  Range rows_{}, columns_{}, inner_{};
  std::int64_t inner_words_ = 0;
};

}  // namespace

void multiply_matrices(const MatrixProduct& product, const pjrt::KernelCall* call) {
  if (product.rows == 0 || product.columns == 0) return;
  Multiplication(product, call).run();
}

}  // namespace meshwright::kernels
