// SPDX-License-Identifier: Apache-2.0
// Internal to bpe/.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/core/word_key.h"

namespace meshwright::tokenizers {

using Rank = std::uint32_t;
inline constexpr Rank kNoRank = 0xffffffff;  // kNoId as a Rank

/// The merges of a model by their pairs.
class MergeTable {
 public:
  static constexpr std::size_t kMostRanks = std::size_t{1} << 21;

  /// Makes room for `most` merges. Ranks will be below `ranks`, and ids below kMostRanks. Throws
  /// unimplemented if there are more ranks than that.
  MergeTable(std::size_t most, std::size_t ranks);

  /// Adds a merge. If the pair has been added before, the new rank replaces the old.
  void add(Id left, Id right, Rank rank, Id merged);

  /// Returns the rank of a pair; kNoRank if it does not merge.
  Rank rank(Id left, Id right) const {
    const std::uint64_t pair = packed(left, right);
    const std::uint64_t hash = hash_of(pair);
    // Most pairs do not merge, and most of those are found here.
    if ((filter_[hash >> filter_shift_] >> (hash & 63) & 1) == 0) return kNoRank;
    for (std::uint64_t at = hash >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
      const std::uint64_t slot = slots_[at];
      if (slot >> kIdBits == pair) return static_cast<Rank>(slot & kIdMask);
      if (slot == kEmpty) return kNoRank;
    }
  }
  Id merged(Rank rank) const { return merged_is_rank_ ? static_cast<Id>(rank) : merged_[rank]; }

 private:
  static constexpr int kIdBits = 21;
  static constexpr std::uint64_t kIdMask = (1 << kIdBits) - 1;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  static std::uint64_t packed(Id left, Id right) {
    return static_cast<std::uint64_t>(left) << kIdBits | static_cast<std::uint32_t>(right);
  }
  static std::uint64_t hash_of(std::uint64_t pair) {
    const std::uint64_t product = pair * 0x9e3779b97f4a7c15;
    return product ^ product >> 32;
  }

  std::vector<std::uint64_t> slots_;  // pair and rank; a power of two, at most 4/5 full
  std::vector<std::uint64_t> filter_;
  int shift_ = 0, filter_shift_ = 0;
  std::vector<Id> merged_;  // by rank
  bool merged_is_rank_ = true;
};

}  // namespace meshwright::tokenizers
