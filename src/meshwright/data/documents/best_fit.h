// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace meshwright::data {

/// Packs items into bins of equal capacity by best fit: each item goes to the fullest bin that has
/// room for it, the latest of equal ones. Takes O(log capacity) per item.
class BestFit {
 public:
  explicit BestFit(std::int64_t capacity);

  /// Returns the bin of an item; a new bin has the next number. Requires 0 < size <= capacity.
  std::int64_t place(std::int64_t size);
  std::int64_t num_bins() const { return num_bins_; }

 private:
  std::int64_t find_room(std::int64_t size) const;
  void set_has_bins(std::int64_t room, bool value);

  std::int64_t capacity_;
  std::int64_t num_bins_ = 0;
  std::vector<std::vector<std::int64_t>> bins_by_room_;
  /// Levels of bitmaps: bit i of a level is set if word i of the level below is not 0; bits of the
  /// lowest level are amounts of room that some bin has.
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace meshwright::data
