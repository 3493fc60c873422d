// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/marked_text.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

TEST(MarkedText, MarksAndUnmarks) {
  EXPECT_EQ(marked("\xe2\x96\x81"
                   "a\xe2\x96\x81\xe2\x96\x80"),
            "\xff"
            "a\xff\xe2\x96\x80");
  std::string text;
  append_unmarked(
      "\xff"
      "a\xff",
      " ", text);
  EXPECT_EQ(text, " a ");
}

TEST(MarkedText, CharacterLengths) {
  EXPECT_EQ(char_length('a'), 1u);
  EXPECT_EQ(char_length(kMark), 1u);
  EXPECT_EQ(char_length('\xc3'), 2u);
  EXPECT_EQ(char_length('\xe2'), 3u);
  EXPECT_EQ(char_length('\xf0'), 4u);
}

TEST(MarkedText, KnowsValidUtf8) {
  for (const char* valid : {"a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                            "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_valid_utf8(valid)) << valid;
  for (const char* broken : {"\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x96",
                             "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(is_valid_utf8(broken)) << broken;
}

}  // namespace
}  // namespace meshwright::tokenizers
