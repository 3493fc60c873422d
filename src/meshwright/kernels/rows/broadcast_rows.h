// SPDX-License-Identifier: Apache-2.0
// How an array is walked over together with others of its rank that are the same for all along some
// of its dimensions: factors of it, or sums over it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace meshwright::kernels {

/// The most dimensions, and the most other arrays.
inline constexpr int kMostBroadcastDims = 6, kMostBroadcast = 8;

/// An array as rows of neighbouring elements: its dimensions, with those joined along which each of
/// the others either changes or does not.
class BroadcastRows {
 public:
  /// `others` have a size of 1 where they do not change. More dimensions than the most only if
  /// there are no others.
  BroadcastRows(std::span<const std::int64_t> dims,
                std::span<const std::span<const std::int64_t>> others);

  std::int64_t num_rows() const { return num_rows_; }
  std::int64_t row_size() const { return row_size_; }
  bool changes_in_row(std::size_t other) const { return has_bit(changing_[last_], other); }
  /// Whether no two rows have elements of it in common.
  bool differs_by_row(std::size_t other) const;
  /// Where its elements for a row begin.
  std::int64_t offset(std::size_t other, std::int64_t row) const;

 private:
  static bool has_bit(unsigned bits, std::size_t other) { return (bits >> other & 1) != 0; }

  std::array<std::int64_t, kMostBroadcastDims + 1> sizes_ = {1};
  std::array<unsigned, kMostBroadcastDims + 1> changing_ = {};  // a bit for each of the others
  std::size_t last_ = 0;
  std::int64_t num_rows_ = 1, row_size_ = 1;
};

}  // namespace meshwright::kernels
