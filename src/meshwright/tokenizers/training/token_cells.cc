// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/token_cells.h"

#include <limits>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {

TokenCells::TokenCells(const WordCounts& words, const std::vector<Id>& byte_ids) {
  std::size_t num_cells = 1, num_words = 0;
  words.for_each([&](std::string_view word, std::int64_t) {
    if (word.size() < 2) return;
    num_cells += word.size() + 1;
    ++num_words;
  });
  if (num_cells > std::numeric_limits<Cell>::max())
    fail(ErrorCode::resource_exhausted, "the different words of the text have ", num_cells,
         " bytes; at most ", std::numeric_limits<Cell>::max(), " are supported");
  ids_.reserve(num_cells);
  counts_.reserve(num_words);
  first_cells_.reserve(num_words);
  words.for_each([&](std::string_view word, std::int64_t count) {
    if (word.size() < 2) return;
    first_cells_.push_back(static_cast<Cell>(ids_.size()));
    counts_.push_back(count);
    for (const char byte : word)
      ids_.push_back(byte_ids[static_cast<unsigned char>(byte)]);
    ids_.push_back(kEdge);
  });
}

}  // namespace meshwright::tokenizers
