// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/word_breaks.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

std::vector<std::string> words(const WordBreaks& breaks, std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = breaks.end_of_word(text, begin);
    out.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return out;
}

TEST(WordBreaks, EndWordsWhereNoPieceGoesOn) {
  WordBreaks breaks;
  breaks.join("\xffthe");
  breaks.join("hat");
  EXPECT_EQ(words(breaks, "\xffthe\xffhat1"),
            (std::vector<std::string>{"\xffthe", "\xff", "hat", "1"}));
}

TEST(WordBreaks, NeverSplitCharacters) {
  EXPECT_EQ(words(WordBreaks(), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
            (std::vector<std::string>{"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}));
}

TEST(WordBreaks, JoinAllLeavesOneWord) {
  WordBreaks breaks;
  breaks.join_all();
  EXPECT_EQ(words(breaks, "a b\xff").size(), 1u);
}

}  // namespace
}  // namespace meshwright::tokenizers
