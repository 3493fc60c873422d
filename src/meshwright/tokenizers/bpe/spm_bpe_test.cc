// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/spm_bpe.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

using Kind = SpmBpePiece::Kind;

// Piece 0 is the unknown one.
std::vector<Id> encode(std::vector<SpmBpePiece> pieces,
                       std::string text,
                       UnknownRule unknown = {}) {
  pieces.insert(pieces.begin(), {"<unk>", 0, Kind::inactive});
  const SpmBpe bpe(pieces, std::move(unknown));
  const auto memory = bpe.new_memory();
  const std::size_t size = text.size();
  text.append(WordCache::kPadding, '\0');
  std::vector<Id> ids;
  bpe.encode(std::string_view(text).substr(0, size), *memory, ids);
  std::vector<Id> again;
  bpe.encode(std::string_view(text).substr(0, size), *memory, again);
  EXPECT_EQ(ids, again);
  return ids;
}

TEST(SpmBpe, MergesTheHighestScoreFirst) {
  // 1 a, 2 b, 3 c, 4 ab, 5 bc, 6 abc
  const auto pieces = [](float ab, float bc) {
    return std::vector<SpmBpePiece>{{"a"}, {"b"}, {"c"}, {"ab", ab}, {"bc", bc}};
  };
  EXPECT_EQ(encode(pieces(-1, -2), "abc"), (std::vector<Id>{4, 3}));
  EXPECT_EQ(encode(pieces(-2, -1), "abc"), (std::vector<Id>{1, 5}));
}

TEST(SpmBpe, MergesTheLeftmostOfEqualScores) {
  EXPECT_EQ(encode({{"a"}, {"aa", -1}}, "aaaaa"), (std::vector<Id>{2, 2, 1}));
  EXPECT_EQ(encode({{"a"}, {"b"}, {"ab", -1}, {"ba", -1}}, "bab"), (std::vector<Id>{4, 2}));
}

TEST(SpmBpe, LongWordsGiveTheSameAsShortOnes) {
  const std::vector<SpmBpePiece> pieces = {{"a"}, {"aa", -1}, {"aaaa", -2}, {"aaa", -3}};
  EXPECT_EQ(encode(pieces, std::string(7, 'a')), (std::vector<Id>{3, 4}));
  std::vector<Id> expected(25, 3);
  expected.push_back(4);
  EXPECT_EQ(encode(pieces, std::string(103, 'a')), expected);
}

TEST(SpmBpe, MergesCharactersThatAreNoPieces) {
  EXPECT_EQ(encode({{"ab", -1}}, "abb"), (std::vector<Id>{1, 0}));
}

TEST(SpmBpe, FindsUserDefinedPiecesFirst) {
  const std::vector<SpmBpePiece> pieces = {
      {"a"}, {"b"}, {"ab", -1}, {"bb", 0, Kind::user_defined}, {"bbb", 0, Kind::user_defined}};
  EXPECT_EQ(encode(pieces, "abb"), (std::vector<Id>{1, 4}));
  EXPECT_EQ(encode(pieces, "abbb"), (std::vector<Id>{1, 5}));
}

TEST(SpmBpe, TakesUnusedPiecesApart) {
  EXPECT_EQ(encode({{"a"}, {"b"}, {"c"}, {"ab", -1, Kind::unused}, {"abc", -2}}, "ab abc"),
            (std::vector<Id>{1, 2, 0, 5}));
}

TEST(SpmBpe, FusesUnknownCharactersAcrossWords) {
  EXPECT_EQ(encode({{"a"}}, "xy\xffza"), (std::vector<Id>{0, 1}));
  EXPECT_EQ(encode({{"a"}}, "xya", {.unknown = 0, .fuse = false}), (std::vector<Id>{0, 0, 1}));
}

TEST(SpmBpe, SpellsUnknownCharactersInBytes) {
  UnknownRule rule;
  for (Id byte = 0; byte < 256; ++byte)
    rule.bytes.push_back(1000 + byte);
  EXPECT_EQ(encode({{"a"}}, "a\xffz", rule), (std::vector<Id>{1, 1226, 1150, 1129, 1122}));
}

}  // namespace
}  // namespace meshwright::tokenizers
