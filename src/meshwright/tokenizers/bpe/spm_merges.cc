// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/spm_merges.h"

#include <algorithm>
#include <bit>
#include <compare>

#include "meshwright/base/check.h"
#include "meshwright/tokenizers/core/marked_text.h"

namespace meshwright::tokenizers {

SpmMerges::SpmMerges(const std::vector<Piece>& pieces) {
  const SymbolMap symbols = add_symbols(pieces);
  add_ranks(pieces);
  std::vector<std::uint64_t> pairs;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string_view text = pieces[id].text;
    if (text.empty()) continue;
    for (std::size_t at = char_length(text[0]); at < text.size(); at += char_length(text[at])) {
      const auto left = symbols.find(text.substr(0, at));
      const auto right = symbols.find(text.substr(at));
      if (left == symbols.end() || right == symbols.end()) continue;
      pairs.push_back(std::uint64_t{left->second} << 43 | std::uint64_t{right->second} << 22 | id);
    }
  }
  add_pairs(pairs);
}

SpmMerges::SymbolMap SpmMerges::add_symbols(const std::vector<Piece>& pieces) {
  SymbolMap symbols;
  for (const Piece& piece : pieces) {
    if (!piece.text.empty()) symbols.emplace(piece.text, static_cast<SpmSymbol>(texts_.size()));
    texts_.emplace_back(piece.text);
  }
  single_bytes_.fill(kNone);
  for (const Piece& piece : pieces) {
    for (std::size_t at = 0; at < piece.text.size(); at += char_length(piece.text[at])) {
      const std::string_view character = piece.text.substr(at, char_length(piece.text[at]));
      const auto [symbol, is_new] =
          symbols.emplace(character, static_cast<SpmSymbol>(texts_.size()));
      if (is_new) texts_.emplace_back(character);
      if (character.size() == 1)
        single_bytes_[static_cast<unsigned char>(character[0])] = symbol->second;
      else
        characters_[packed(character)] = symbol->second;
    }
  }
  if (texts_.size() >= kNone)
    fail(ErrorCode::unimplemented, "BPE with ", texts_.size(), " symbols: at most ", kNone,
         " are supported");
  return symbols;
}

std::uint32_t SpmMerges::packed(std::string_view character) {
  std::uint32_t bytes = 0;
  for (const char byte : character)
    bytes = bytes << 8 | static_cast<unsigned char>(byte);
  return bytes;
}

void SpmMerges::add_ranks(const std::vector<Piece>& pieces) {
  // -0 is less than 0, as in the library.
  const auto is_higher = [](float a, float b) { return std::strong_order(a, b) > 0; };
  std::vector<float> scores;
  for (const Piece& piece : pieces)
    scores.push_back(piece.score);
  std::sort(scores.begin(), scores.end(), is_higher);
  const auto is_same = [](float a, float b) { return std::strong_order(a, b) == 0; };
  scores.erase(std::unique(scores.begin(), scores.end(), is_same), scores.end());
  num_ranks_ = static_cast<std::uint32_t>(scores.size());
  for (const Piece& piece : pieces) {
    const auto at = std::lower_bound(scores.begin(), scores.end(), piece.score, is_higher);
    ranks_.push_back(static_cast<std::uint32_t>(at - scores.begin()));
  }
}

void SpmMerges::add_pairs(const std::vector<std::uint64_t>& pairs) {
  const std::size_t size = std::bit_ceil(2 * pairs.size() + 2);
  shift_ = 64 - std::countr_zero(size);
  pairs_.assign(size, kFree);
  for (const std::uint64_t pair : pairs) {
    std::size_t at = slot(pair & ~std::uint64_t{(1u << 22) - 1});
    while (pairs_[at] != kFree)
      at = (at + 1) & (size - 1);
    pairs_[at] = pair;
  }
}

}  // namespace meshwright::tokenizers
