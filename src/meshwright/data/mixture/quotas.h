// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace meshwright::data {

/// Divides a stream of rows among parts in proportion to their weights, by rule instead of at
/// random: the division is known for any row without going through the rows before it.
///
/// Pairs of parts are joined into a binary tree, lightest first, and each node gives its left child
/// the rounded share of its own rows. Adding a row to the stream therefore adds one row to exactly
/// one part.
class Quotas {
 public:
  /// Throws invalid_argument unless there are 1 to 1000 weights, all finite and positive, of which
  /// the largest is at most 2^40 times the smallest.
  explicit Quotas(std::span<const double> weights);

  /// Returns the number of rows that each part has among the first `num_rows`. They differ from the
  /// exact shares by less than 2 rows; with two parts, by at most half a row. O(parts).
  std::vector<std::int64_t> of_first(std::int64_t num_rows) const;

  std::size_t num_parts() const { return num_parts_; }

 private:
  struct Node {
    std::uint64_t weight = 0;
    std::size_t left = 0, right = 0;  // unused in parts
  };

  void join_lightest();

  std::size_t num_parts_;
  std::vector<Node> nodes_;  // the parts, then inner nodes after their children
};

}  // namespace meshwright::data
