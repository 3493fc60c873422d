// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/merge_table.h"

#include <bit>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {

MergeTable::MergeTable(std::size_t most, std::size_t ranks) {
  if (ranks > kMostRanks)
    fail(ErrorCode::unimplemented, "more than ", kMostRanks, " merges or tokens");
  merged_.resize(ranks);
  slots_.resize(std::bit_ceil(most + most / 4 + 2), kEmpty);
  shift_ = 64 - std::countr_zero(slots_.size());
  // 16 to 32 bits per merge.
  filter_.resize(std::bit_ceil(most / 4 + 2));
  filter_shift_ = 64 - std::countr_zero(filter_.size());
}

void MergeTable::add(Id left, Id right, Rank rank, Id merged) {
  const std::uint64_t pair = packed(left, right);
  const std::uint64_t hash = hash_of(pair);
  filter_[hash >> filter_shift_] |= std::uint64_t{1} << (hash & 63);
  std::uint64_t at = hash >> shift_;
  while (slots_[at] != kEmpty && slots_[at] >> kIdBits != pair)
    at = (at + 1) & (slots_.size() - 1);
  slots_[at] = pair << kIdBits | rank;
  merged_[rank] = merged;
  merged_is_rank_ = merged_is_rank_ && static_cast<Rank>(merged) == rank;
}

}  // namespace meshwright::tokenizers
