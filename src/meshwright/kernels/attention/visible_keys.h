// SPDX-License-Identifier: Apache-2.0
// The keys that queries attend to, from a mask, segments, causality, a window and a length.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "meshwright/kernels/common/ranges.h"

namespace meshwright::kernels {

/// The keys of one batch row that its queries attend to. A query attends to key j if all conditions
/// that are given hold: its mask is true at j, its segment is that of j, j is not after it, j is in
/// the window that ends at it, and j is among the first num_keys.
class VisibleKeys {
 public:
  struct Conditions {
    bool causal = false;
    std::int64_t window = 0;  ///< 0: none
    std::int64_t num_keys = 0;
    const std::uint8_t* mask = nullptr;            ///< [len, src]; null: true
    const std::int32_t* query_segments = nullptr;  ///< [len]; null: all equal
    const std::int32_t* key_segments = nullptr;    ///< [src]
  };

  VisibleKeys(std::int64_t src, const Conditions& conditions);

  const Conditions& conditions() const { return conditions_; }
  /// Returns a range of keys that covers all keys these queries attend to: from a multiple of
  /// kPanelColumns, or everything if some query attends to no key. Unless empty, `each` receives
  /// the smallest such range of each query, which is empty if it attends to no key.
  Range cover(Range queries, std::span<Range> each = {}) const;

  /// Returns the end of a block of at most `most` queries. Blocks end where a segment ends if they
  /// have at least `fewest` queries by then, so that they need few keys.
  std::int64_t block_end(Range queries, std::int64_t fewest, std::int64_t most) const;

 private:
  struct SegmentBounds {
    std::int32_t least, most;
  };

  std::int64_t first_of(std::int32_t segment, std::int64_t end) const;
  std::int64_t end_of(std::int32_t segment, Range keys) const;
  Range of_segment(std::int32_t segment, std::int64_t end, Range before) const;
  Range in_window(std::int64_t query, Range keys) const;
  Range in_mask(std::int64_t query, Range keys) const;
  bool may_contain(std::int64_t chunk, std::int32_t segment) const;

  std::int64_t src_;
  Conditions conditions_;
  std::vector<SegmentBounds> bounds_;  // of the segments of each chunk of keys
};

}  // namespace meshwright::kernels
