// SPDX-License-Identifier: Apache-2.0
#include "meshwright/kernels/cross_entropy/cross_entropy_sizes.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "meshwright/kernels/cross_entropy/cross_entropy_rows.h"
#include "meshwright/kernels/product/block_product.h"
#include "meshwright/kernels/simd/lanes.h"

namespace meshwright::kernels {
namespace {

// Logits to hold at a time, within the bounds on rows below. More rows are better, since the
// table's gradient is read and written once per chunk of rows.
constexpr std::int64_t kLogitsAtATime = 1 << 22;
constexpr std::int64_t kFewestRows = 512, kMostRows = 1024;
// A task takes a group of blocks; each group has its own partial sum of the gradient of x.
constexpr std::int64_t kFewestGroups = 8, kMostGroups = 32, kBlocksOfGroup = 4;

}  // namespace

std::int64_t CrossEntropySizes::num_groups() const {
  return std::min(num_blocks(),
                  std::clamp(num_blocks() / kBlocksOfGroup, kFewestGroups, kMostGroups));
}

Range CrossEntropySizes::blocks_of(std::int64_t group) const {
  return {group * num_blocks() / num_groups(), (group + 1) * num_blocks() / num_groups()};
}

std::int64_t CrossEntropySizes::rows_at_a_time() const {
  const std::int64_t most =
      std::clamp(kLogitsAtATime / std::max<std::int64_t>(vocab, 1), kFewestRows, kMostRows);
  return num_chunks(rows, std::max<std::int64_t>(num_chunks(rows, most), 1));
}

std::int64_t CrossEntropySizes::dim_room() const {
  return padded(dim);
}

std::int64_t CrossEntropySizes::logits_size() const {
  return any() ? num_blocks() * rows_at_a_time() * kWordsOfBlock : 0;
}

std::int64_t CrossEntropySizes::partial_sums_size() const {
  return d_x ? num_groups() * rows_at_a_time() * dim_room() : 0;
}

std::int64_t CrossEntropySizes::x_by_rows_size(PackedAs words_are) const {
  return padded(packed_size(rows_at_a_time(), dim, kPanelRows, words_are));
}

std::int64_t CrossEntropySizes::x_by_dim_size(PackedAs words_are) const {
  return d_table ? padded(packed_size(dim, rows_at_a_time(), dim_width(), words_are)) : 0;
}

std::int64_t CrossEntropySizes::row_sums_size() const {
  return RowsAtHand::room(num_blocks(), rows_at_a_time());
}

std::int64_t CrossEntropySizes::scratch_size() const {
  return padded(logits_size()) + padded(partial_sums_size()) + x_by_rows_size(PackedAs::floats) +
         x_by_dim_size(PackedAs::floats) + row_sums_size();
}

CrossEntropySizes cross_entropy_sizes(std::span<const std::int64_t> x,
                                      std::span<const std::int64_t> table,
                                      bool vocab_first) {
  const std::span<const std::int64_t> examples = x.first(x.size() - 1);
  return {.rows = std::accumulate(examples.begin(), examples.end(), std::int64_t{1},
                                  std::multiplies<>()),
          .dim = x.back(),
          .vocab = table[vocab_first ? 0 : 1],
          .vocab_first = vocab_first};
}

}  // namespace meshwright::kernels
