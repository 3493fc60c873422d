// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/best_fit.h"

#include <bit>

namespace meshwright::data {

BestFit::BestFit(std::int64_t capacity)
    : capacity_(capacity), bins_by_room_(static_cast<std::size_t>(capacity) + 1) {
  std::size_t num_bits = bins_by_room_.size();
  do {
    num_bits = (num_bits + 63) / 64;
    levels_.emplace_back(num_bits);
  } while (num_bits > 1);
}

void BestFit::set_has_bins(std::int64_t room, bool value) {
  auto bit = static_cast<std::uint64_t>(room);
  for (auto& level : levels_) {
    std::uint64_t& word = level[bit / 64];
    const std::uint64_t before = word, mask = std::uint64_t{1} << bit % 64;
    word = value ? word | mask : word & ~mask;
    if ((before != 0) == (word != 0)) return;
    bit /= 64;
  }
}

// Returns the smallest room of at least `size` that some bin has; -1 if there is none.
std::int64_t BestFit::find_room(std::int64_t size) const {
  auto bit = static_cast<std::uint64_t>(size);
  for (std::size_t level = 0; level < levels_.size(); ++level, bit = bit / 64 + 1) {
    if (bit / 64 >= levels_[level].size()) return -1;
    const std::uint64_t rest = levels_[level][bit / 64] >> bit % 64;
    if (rest == 0) continue;
    bit += static_cast<std::uint64_t>(std::countr_zero(rest));
    while (level > 0) {
      --level;
      bit = bit * 64 + static_cast<std::uint64_t>(std::countr_zero(levels_[level][bit]));
    }
    return static_cast<std::int64_t>(bit);
  }
  return -1;
}

std::int64_t BestFit::place(std::int64_t size) {
  std::int64_t room = find_room(size), bin = num_bins_;
  if (room >= 0) {
    auto& bins = bins_by_room_[static_cast<std::size_t>(room)];
    bin = bins.back();
    bins.pop_back();
    if (bins.empty()) set_has_bins(room, false);
  } else {
    room = capacity_;
    ++num_bins_;
  }
  room -= size;
  if (room > 0) {
    auto& bins = bins_by_room_[static_cast<std::size_t>(room)];
    bins.push_back(bin);
    if (bins.size() == 1) set_has_bins(room, true);
  }
  return bin;
}

}  // namespace meshwright::data
