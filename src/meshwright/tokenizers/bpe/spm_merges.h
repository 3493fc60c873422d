// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace meshwright::tokenizers {

/// A symbol of SentencePiece's BPE: the id of a piece, or above those a character that is only part
/// of pieces, or kNone.
using SpmSymbol = std::uint32_t;

/// The pairs of adjacent symbols that form a piece, and the order in which pairs are merged.
class SpmMerges {
 public:
  static constexpr SpmSymbol kNone = (1u << 21) - 1;  // a character that no piece contains
  static constexpr std::uint32_t kNoRank = UINT32_MAX;

  struct Piece {
    std::string_view text;  // marked; empty if the piece takes no part in merges
    float score = 0;
  };
  /// The symbol of a piece is its index. Throws unimplemented for more than two million symbols.
  explicit SpmMerges(const std::vector<Piece>& pieces);

  /// Returns the text of each symbol, marked.
  const std::vector<std::string>& texts() const { return texts_; }

  /// Returns the symbol of one character.
  SpmSymbol character(std::string_view text) const {
    const auto lead = static_cast<unsigned char>(text[0]);
    if (text.size() == 1) return single_bytes_[lead];
    const auto found = characters_.find(packed(text));
    return found == characters_.end() ? kNone : found->second;
  }

  /// Returns the piece that the pair forms, or kNone.
  SpmSymbol merged(SpmSymbol left, SpmSymbol right) const {
    const std::uint64_t pair = std::uint64_t{left} << 43 | std::uint64_t{right} << 22;
    for (std::size_t at = slot(pair);; at = (at + 1) & (pairs_.size() - 1)) {
      const std::uint64_t found = pairs_[at];
      if ((found ^ pair) >> 22 == 0) return static_cast<SpmSymbol>(found & kNone);
      if (found == kFree) return kNone;
    }
  }

  /// Pieces of lower rank are formed first, and of equal rank from left to right. kNone has
  /// kNoRank.
  std::uint32_t rank(SpmSymbol piece) const { return piece == kNone ? kNoRank : ranks_[piece]; }
  std::uint32_t num_ranks() const { return num_ranks_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};  // the pair of kNone with itself

  static std::uint32_t packed(std::string_view character);
  std::size_t slot(std::uint64_t pair) const {
    return static_cast<std::size_t>((pair * 0x9e3779b97f4a7c15u) >> shift_);
  }
  using SymbolMap = std::unordered_map<std::string_view, SpmSymbol>;
  SymbolMap add_symbols(const std::vector<Piece>& pieces);
  void add_ranks(const std::vector<Piece>& pieces);
  void add_pairs(const std::vector<std::uint64_t>& pairs);

  std::vector<std::string> texts_;
  std::array<SpmSymbol, 256> single_bytes_ = {};
  std::unordered_map<std::uint32_t, SpmSymbol> characters_;
  std::vector<std::uint32_t> ranks_;
  std::uint32_t num_ranks_ = 0;
  std::vector<std::uint64_t> pairs_;  // a hash table: 21 bits each of left, right; 22 of the piece
  int shift_ = 0;
};

}  // namespace meshwright::tokenizers
