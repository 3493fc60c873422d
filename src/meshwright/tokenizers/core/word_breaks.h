// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace meshwright::tokenizers {

/// Splits marked text at places that no piece of a vocabulary spans, so that the words can be
/// encoded one by one.
///
/// Two adjacent characters are joined if some piece contains the last byte of the first one next
/// to the first byte of the second one. Where characters are not joined, a word ends.
class WordBreaks {
 public:
  /// Joins the characters that are adjacent in the piece.
  void join(std::string_view piece) {
    for (std::size_t i = 1; i < piece.size(); ++i)
      row(piece[i - 1])[byte(piece[i]) >> 6] |= std::uint64_t{1} << (byte(piece[i]) & 63);
  }
  /// Joins everything: there is one word.
  void join_all() {
    for (auto& row : joined_)
      row.fill(~std::uint64_t{0});
  }

  /// Returns the end of the word that begins at `begin`, which must be less than text.size().
  std::size_t end_of_word(std::string_view text, std::size_t begin) const {
    std::size_t end = begin + 1;
    while (end < text.size() && is_joined(text[end - 1], text[end]))
      ++end;
    return end;
  }

 private:
  static unsigned char byte(char c) { return static_cast<unsigned char>(c); }
  std::array<std::uint64_t, 4>& row(char c) { return joined_[byte(c)]; }
  bool is_joined(char a, char b) const {
    // Bytes 0x80 to 0xBF continue a character.
    return (joined_[byte(a)][byte(b) >> 6] >> (byte(b) & 63) & 1) != 0;
  }

  static constexpr std::array<std::uint64_t, 4> kContinued = {0, 0, ~std::uint64_t{0}, 0};
  std::array<std::array<std::uint64_t, 4>, 256> joined_ = [] {
    std::array<std::array<std::uint64_t, 4>, 256> rows;
    rows.fill(kContinued);
    return rows;
  }();
};

}  // namespace meshwright::tokenizers
