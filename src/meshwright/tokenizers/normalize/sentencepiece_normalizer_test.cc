// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/normalize/sentencepiece_normalizer.h"

#include <string>

#include <gtest/gtest.h>

#include "meshwright/tokenizers/core/marked_text.h"
#include "meshwright/tokenizers/normalize/charsmap_testutil.h"

namespace meshwright::tokenizers {
namespace {

// Marks are written as underscores.
std::string normalized(const SentencePieceRules& rules, std::string_view text) {
  std::string marked, out;
  SentencePieceNormalizer(rules).normalize(text, marked);
  append_unmarked(marked, "_", out);
  return out;
}

constexpr SentencePieceRules keep_spaces() {
  return {.add_dummy_prefix = false, .remove_extra_whitespaces = false};
}

TEST(SentencePieceNormalizer, RemovesExtraSpacesByDefault) {
  EXPECT_EQ(normalized({}, "  a  b   c "), "_a_b_c");
  EXPECT_EQ(normalized({}, "   "), "");
  EXPECT_EQ(normalized({}, ""), "");
}

TEST(SentencePieceNormalizer, KeepsSpacesOnRequest) {
  EXPECT_EQ(normalized(keep_spaces(), " a  b "), "_a__b_");
  EXPECT_EQ(normalized({.remove_extra_whitespaces = false}, " "), "__");
}

TEST(SentencePieceNormalizer, DummySpaceIsPrefixOrSuffix) {
  EXPECT_EQ(normalized({.space_is_suffix = true}, " a b "), "a_b_");
  EXPECT_EQ(normalized({.escape_whitespaces = false}, "a b "), " a b");
}

TEST(SentencePieceNormalizer, TakesMarksInTheTextForSpacesAtTheEndOnly) {
  EXPECT_EQ(normalized({}, "\xe2\x96\x81 a \xe2\x96\x81"), "___a");
}

TEST(SentencePieceNormalizer, ReplacesEachInvalidByte) {
  EXPECT_EQ(normalized(keep_spaces(), "a\xff\xe2\x96z"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
}

TEST(SentencePieceNormalizer, AppliesRulesAlsoToAsciiCharacters) {
  SentencePieceRules rules = keep_spaces();
  rules.charsmap =
      charsmap_bytes({{"e\xcc\x81", "\xc3\xa9"}, {"A", "a"}, {"tt", "T"}, {"\xc2\xa8", " x "}});
  EXPECT_EQ(normalized(rules, "eAe\xcc\x81 ttt"), "ea\xc3\xa9_Tt");
  rules.remove_extra_whitespaces = true;
  EXPECT_EQ(normalized(rules, "b \xc2\xa8 c"), "b_x_c");
}

TEST(SentencePieceNormalizer, NoRuleChangesUserDefinedSymbols) {
  SentencePieceRules rules = keep_spaces();
  rules.charsmap = charsmap_bytes({{"A", "a"}, {"AB", "c"}});
  rules.kept = {"AA", " x"};
  EXPECT_EQ(normalized(rules, "AAABA x"), "AAca_x");
}

}  // namespace
}  // namespace meshwright::tokenizers
