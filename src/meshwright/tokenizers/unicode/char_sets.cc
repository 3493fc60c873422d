// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unicode/char_sets.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "meshwright/tokenizers/unicode/char_sets.gen.h"

namespace meshwright::tokenizers {
namespace {

constexpr std::array<char_sets::Range, 8> kChinese = {{
    {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},
    {0xf900, 0xfaff},
    {0x20000, 0x2a6df},
    {0x2a700, 0x2b73f},
    {0x2b740, 0x2b81f},
    {0x2b920, 0x2ceaf},
    {0x2f800, 0x2fa1f},
}};

}  // namespace

const CharSets& CharSets::get() {
  static const CharSets sets;
  return sets;
}

CharSets::CharSets() {
  std::vector<CharSet> flags(0x110000);
  const auto add = [&](std::span<const char_sets::Range> ranges, CharSet set) {
    for (const auto& [first, last] : ranges)
      for (char32_t code = first; code <= last; ++code)
        flags[code] |= set;
  };
  add(char_sets::kControls, kControlChars);
  add(char_sets::kNonspacingMarks, kNonspacingMarks);
  add(char_sets::kCombiningMarks, kCombiningMarks);
  add(char_sets::kPunctuation, kPunctuationChars);
  add(char_sets::kNumeric, kNumericChars);
  add(char_sets::kWord, kWordChars);
  add(char_sets::kWhitespace, kWhitespaceChars);
  add(kChinese, kChineseChars);
  std::copy_n(flags.begin(), ascii_.size(), ascii_.begin());
  std::map<std::string, std::uint16_t> known;  // blocks that differ
  for (std::size_t i = 0; i < block_of_.size(); ++i) {
    const auto begin = flags.begin() + static_cast<std::ptrdiff_t>(i * kBlock);
    std::string block(begin, begin + kBlock);
    const auto [entry, is_new] =
        known.emplace(std::move(block), static_cast<std::uint16_t>(known.size()));
    if (is_new) blocks_.insert(blocks_.end(), entry->first.begin(), entry->first.end());
    block_of_[i] = entry->second;
  }
}

}  // namespace meshwright::tokenizers
