// SPDX-License-Identifier: Apache-2.0
// The merges of byte-level BPE, applied to one word. Internal to bpe/.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "meshwright/tokenizers/bpe/merge_table.h"
#include "meshwright/tokenizers/bpe/token_index.h"

namespace meshwright::tokenizers {

/// Applies merges: always the merge of the lowest rank, the leftmost first. Thread-safe.
class Merger {
 public:
  /// `byte_ids` are the tokens of single bytes; a byte of kNoId is dropped. `last_byte_ids` are for
  /// the last byte of a word. `index` and `merges` must outlive it.
  Merger(const TokenIndex& index,
         const MergeTable& merges,
         const std::array<Id, 256>& byte_ids,
         const std::array<Id, 256>& last_byte_ids);

  /// Looks up the merge of two bytes again, after it was added.
  void update(unsigned left_byte, unsigned right_byte);

  /// Appends the tokens of a word.
  void append(std::string_view word, std::vector<Id>& ids) const;

  /// The size of words for which encode_short() serves.
  static constexpr std::size_t kShort = 256;
  /// Writes the tokens of a word of at most kShort bytes to `ids`, which has room for as many ids
  /// as the word has bytes. Returns the number of tokens.
  std::size_t encode_short(std::string_view word, Id* ids) const;

 private:
  bool append_by_windows(std::string_view word, std::vector<Id>& ids) const;
  bool is_boundary(Id left, Id right) const;
  void append_by_heap(std::string_view word, std::vector<Id>& ids) const;

  const TokenIndex* index_;
  const MergeTable* merges_;
  std::array<Id, 256> byte_ids_, last_byte_ids_;
  std::vector<Rank> byte_pairs_;  // by both bytes
  bool every_byte_is_a_token_;    // and the last byte is like others
};

}  // namespace meshwright::tokenizers
