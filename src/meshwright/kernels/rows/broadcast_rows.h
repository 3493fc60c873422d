// SPDX-License-Identifier: Apache-2.0
// Iterates over an array together with arrays that broadcast to it, such as factors or sums.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace meshwright::kernels {

/// Maximum numbers of dimensions and of other arrays.
inline constexpr int kMostBroadcastDims = 6, kMostBroadcast = 8;

/// Views an array as rows of contiguous elements. Merges adjacent dimensions along which the same
/// arrays broadcast.
class BroadcastRows {
 public:
  /// `others` have size 1 in broadcast dimensions. More than kMostBroadcastDims dimensions are
  /// allowed only if there are no others.
  BroadcastRows(std::span<const std::int64_t> dims,
                std::span<const std::span<const std::int64_t>> others);

  std::int64_t num_rows() const { return num_rows_; }
  std::int64_t row_size() const { return row_size_; }
  bool changes_in_row(std::size_t other) const { return has_bit(changing_[last_], other); }
  /// True if no two rows use the same elements of `other`.
  bool differs_by_row(std::size_t other) const;
  /// Returns the offset of the first element of `other` that `row` uses.
  std::int64_t offset(std::size_t other, std::int64_t row) const;

 private:
  static bool has_bit(unsigned bits, std::size_t other) { return (bits >> other & 1) != 0; }

  std::array<std::int64_t, kMostBroadcastDims + 1> sizes_ = {1};
  std::array<unsigned, kMostBroadcastDims + 1> changing_ = {};  // one bit per other array
  std::size_t last_ = 0;
  std::int64_t num_rows_ = 1, row_size_ = 1;
};

}  // namespace meshwright::kernels
