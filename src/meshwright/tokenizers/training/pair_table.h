// SPDX-License-Identifier: Apache-2.0
// Internal to training/.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "meshwright/tokenizers/core/word_key.h"
#include "meshwright/tokenizers/training/token_cells.h"
#include "meshwright/tokenizers/training/train_bpe.h"

namespace meshwright::tokenizers {

/// Where a pair of tokens is: the cell that its left token begins in.
struct Place {
  TokenCells::Cell cell = 0;
  TokenCells::Word word = 0;
};

struct PairState {
  TokenPair pair;
  std::int64_t count = 0;          // in the text
  std::vector<Place> places = {};  // until the pair is queued
};

/// The pairs of tokens that have occurred so far.
class PairTable {
 public:
  PairTable() : slots_(kFirstSlots), shift_(64 - std::countr_zero(kFirstSlots)) {}

  /// Returns the number of a pair, which never changes. Adds the pair if it is new.
  std::uint32_t number(TokenPair pair) {
    const std::uint64_t key = std::uint64_t{static_cast<std::uint32_t>(pair.left)} << 32 |
                              static_cast<std::uint32_t>(pair.right);
    for (std::size_t at = mix(key, 0) >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      const Slot& slot = slots_[at];
      if (slot.number == kFree) break;
      if (slot.key == key) return slot.number;
    }
    const auto number = static_cast<std::uint32_t>(states_.size());
    states_.push_back({.pair = pair});
    if (states_.size() > slots_.size() / 2) grow();
    insert({key, number});
    return number;
  }
  PairState& operator[](std::uint32_t number) { return states_[number]; }

 private:
  static constexpr std::size_t kFirstSlots = std::size_t{1} << 16;
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t number = kFree;
  };

  void insert(const Slot& slot) {
    std::size_t at = mix(slot.key, 0) >> shift_;
    while (slots_[at].number != kFree)
      at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    --shift_;
    for (const Slot& slot : old)
      if (slot.number != kFree) insert(slot);
  }

  std::vector<Slot> slots_;  // a power of two
  int shift_;                // of hashes, to numbers of slots
  std::vector<PairState> states_;
};

}  // namespace meshwright::tokenizers
