// SPDX-License-Identifier: Apache-2.0
// Internal to training/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "meshwright/tokenizers/core/tokenizer.h"
#include "meshwright/tokenizers/training/word_counts.h"

namespace meshwright::tokenizers {

/// The different words of a text as tokens that merges change in place.
///
/// A token has a cell for each byte. Its first and its last cell hold its id, so that the tokens on
/// both sides of it are found at once; the cells between them hold kInside. A cell with kEdge
/// precedes and follows each word.
class TokenCells {
 public:
  using Cell = std::uint32_t;
  using Word = std::uint32_t;
  static constexpr Id kInside = -1;
  static constexpr Id kEdge = -2;

  /// Begins with the tokens of bytes, which `byte_ids` has. Words of one byte are left out, because
  /// nothing can be merged in them. Throws resource_exhausted if there are too many words.
  TokenCells(const WordCounts& words, const std::vector<Id>& byte_ids);

  Id operator[](Cell cell) const { return ids_[cell]; }
  /// Puts a token into the cells from `first` to `last`, which two tokens had; the right one began
  /// at `right`.
  void merge(Cell first, Cell right, Cell last, Id merged) {
    ids_[right - 1] = kInside;
    ids_[right] = kInside;
    ids_[first] = merged;
    ids_[last] = merged;
  }

  Word num_words() const { return static_cast<Word>(counts_.size()); }
  /// Returns the number of times that a word occurs.
  std::int64_t count(Word word) const { return counts_[word]; }
  /// Returns the first cell of a word; that of its end is kEdge.
  Cell first_cell(Word word) const { return first_cells_[word]; }

 private:
  std::vector<Id> ids_ = {kEdge};
  std::vector<std::int64_t> counts_;
  std::vector<Cell> first_cells_;
};

}  // namespace meshwright::tokenizers
