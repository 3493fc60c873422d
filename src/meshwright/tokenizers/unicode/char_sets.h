// SPDX-License-Identifier: Apache-2.0
// The character sets of the `tokenizers` library, which follow several versions of Unicode.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace meshwright::tokenizers {

/// A union of sets, one bit each.
using CharSet = std::uint8_t;

inline constexpr CharSet kControlChars = 1;      // removed by BERT's normalizer
inline constexpr CharSet kNonspacingMarks = 2;   // the accents of BERT's normalizer
inline constexpr CharSet kCombiningMarks = 4;    // the accents of StripAccents
inline constexpr CharSet kPunctuationChars = 8;  // with all ASCII symbols
inline constexpr CharSet kNumericChars = 16;
inline constexpr CharSet kWordChars = 32;  // \w
inline constexpr CharSet kWhitespaceChars = 64;
inline constexpr CharSet kChineseChars = 128;  // the ideographs that BERT's normalizer isolates

/// Maps code points to the sets that contain them.
class CharSets {
 public:
  /// Returns the only instance.
  static const CharSets& get();

  /// The code point must be below 0x110000.
  CharSet of(char32_t code) const {
    return code < 128 ? ascii_[code] : blocks_[block_of_[code / kBlock] * kBlock + code % kBlock];
  }
  CharSet of_ascii(char c) const { return ascii_[static_cast<unsigned char>(c)]; }

 private:
  static constexpr std::uint32_t kBlock = 128;

  CharSets();

  std::array<CharSet, 128> ascii_ = {};
  std::array<std::uint16_t, 0x110000 / kBlock> block_of_ = {};
  std::vector<CharSet> blocks_;
};

}  // namespace meshwright::tokenizers
