// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/unigram/unigram.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

std::vector<Id> encode(const Unigram& unigram, std::string text, Unigram::Memory& memory) {
  const std::size_t size = text.size();
  text.append(WordCache::kPadding, '\0');
  std::vector<Id> ids;
  unigram.encode(std::string_view(text).substr(0, size), memory, ids);
  return ids;
}

std::vector<Id> encode(const Unigram& unigram, const std::string& text) {
  Unigram::Memory memory;
  const std::vector<Id> ids = encode(unigram, text, memory);
  EXPECT_EQ(encode(unigram, text, memory), ids);
  return ids;
}

// Piece 0 is the unknown one.
Unigram model(std::vector<UnigramPiece> pieces, bool float_sums = true) {
  pieces.insert(pieces.begin(), {"<unk>", 0, false});
  return Unigram(std::move(pieces), {.unknown_score = -20, .float_sums = float_sums});
}

TEST(Unigram, FindsTheGreatestSum) {
  const Unigram unigram = model({{"a", -1}, {"b", -1}, {"c", -1}, {"ab", -1.5}, {"bc", -1.25}});
  EXPECT_EQ(encode(unigram, "abc"), (std::vector<Id>{1, 5}));
  EXPECT_EQ(encode(unigram, "ab"), (std::vector<Id>{4}));
}

TEST(Unigram, OfEqualSumsTheLongestLastPieceWins) {
  EXPECT_EQ(encode(model({{"a", -1}, {"aa", -2}}), "aaa"), (std::vector<Id>{1, 2}));
}

TEST(Unigram, InactivePiecesAreNotFound) {
  EXPECT_EQ(encode(model({{"a", -1}, {"aa", -1, false}}), "aa"), (std::vector<Id>{1, 1}));
}

TEST(Unigram, FusesUnknownCharacters) {
  EXPECT_EQ(encode(model({{"a", -1}}),
                   "ax\xc3\xa9\xff"
                   "a"),
            (std::vector<Id>{1, 0, 1}));
}

// At -20000, the two ways to spell ab differ by less than a float can tell.
TEST(Unigram, RoundsSumsToFloatsOnRequest) {
  const std::vector<UnigramPiece> pieces = {{"a", -1}, {"b", -1}, {"ab", -2 - 1e-6}, {"x", -1000}};
  const std::string text = std::string(20, 'x') + "ab";
  std::vector<Id> long_piece(20, 4), letters = long_piece;
  long_piece.push_back(3);
  letters.insert(letters.end(), {1, 2});
  EXPECT_EQ(encode(model(pieces, true), text), long_piece);
  EXPECT_EQ(encode(model(pieces, false), text), letters);
}

// Floats near -210000 cannot tell the two ways to spell ab apart, but those near -90000 can.
TEST(Unigram, ResetsLargeSums) {
  const Unigram unigram = model({{"a", -1}, {"b", -1}, {"ab", -2.0065}, {"x", -30000}});
  EXPECT_EQ(encode(unigram, "xxxxxxxab"), (std::vector<Id>{4, 4, 4, 4, 4, 4, 4, 1, 2}));
}

// A text of cached words gives the ids that it gives as one word.
TEST(Unigram, CacheDoesNotChangeIds) {
  std::mt19937 random(5);
  std::vector<UnigramPiece> words, phrases;
  for (int i = 0; i < 60; ++i) {
    std::string piece = i % 4 == 0 ? "\xff" : "";
    for (std::size_t n = random() % 3; n < 3 || piece.size() < 2; ++n)
      piece += static_cast<char>('a' + random() % 3);
    const double score = static_cast<float>(-1.0 - static_cast<double>(random() % 40) / 10);
    bool is_new = true;
    for (const UnigramPiece& other : words)
      is_new = is_new && other.text != piece;
    if (is_new) words.push_back({piece, score});
  }
  for (const char* letter : {"a", "b", "c", "\xff"})
    words.push_back({letter, -3.3});
  phrases = words;
  phrases.push_back({"a\xff", -1e6});  // joins words, but is never chosen
  phrases.push_back({"b\xff", -1e6});
  phrases.push_back({"c\xff", -1e6});
  const Unigram with_words = model(words), whole = model(phrases);
  Unigram::Memory memory;
  for (int i = 0; i < 50; ++i) {
    std::string text;
    for (std::size_t n = 0; n < 40 * static_cast<std::size_t>(i); ++n)
      text += "abcabc\xff"[random() % 7];
    ASSERT_EQ(encode(with_words, text, memory), encode(whole, text)) << text;
  }
}

}  // namespace
}  // namespace meshwright::tokenizers
