// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/byte_bpe.h"

#include <algorithm>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/bpe/parts.h"
#include "meshwright/tokenizers/split/rule.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> all_bytes() {
  std::vector<std::string> out;
  for (int i = 0; i < 256; ++i)
    out.emplace_back(1, static_cast<char>(i));
  return out;
}

// The 256 bytes and `more`, with ids from 256.
std::vector<std::string> bytes_and(std::initializer_list<const char*> more) {
  std::vector<std::string> out = all_bytes();
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<Id> encode_word(const ByteBpe& bpe, std::string_view word) {
  std::vector<Id> ids;
  bpe.encode_word(word, ids);
  return ids;
}

std::vector<Id> encode(const ByteBpe& bpe, std::string_view text) {
  std::vector<Id> ids;
  bpe.encode(*find_splitter(kGpt2Pattern), text, ids);
  return ids;
}

// The definition: the pair whose concatenation has the lowest rank, the leftmost first.
std::vector<Id> by_definition(const std::vector<std::string>& tokens, std::string_view word) {
  const auto rank = [&](const std::string& token) {
    return static_cast<std::size_t>(std::ranges::find(tokens, token) - tokens.begin());
  };
  std::vector<std::string> parts;
  for (const char c : word)
    parts.emplace_back(1, c);
  while (rank(std::string(word)) == tokens.size() && parts.size() > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < parts.size(); ++i)
      if (rank(parts[i] + parts[i + 1]) < rank(parts[best] + parts[best + 1])) best = i;
    if (rank(parts[best] + parts[best + 1]) == tokens.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  if (rank(std::string(word)) != tokens.size()) parts = {std::string(word)};
  std::vector<Id> out;
  for (const std::string& part : parts)
    out.push_back(static_cast<Id>(rank(part)));
  return out;
}

TEST(ByteBpe, MergesTheLowestRankFirst) {
  const BpeModel model = {.tokens = bytes_and({"bc", "ab", "abc"}),
                          .merges = {{"b", "c"}, {"a", "b"}, {"a", "bc"}}};
  const ByteBpe bpe(model);
  EXPECT_THAT(encode_word(bpe, "abc"), ElementsAre(258));
  EXPECT_THAT(encode_word(bpe, "abd"), ElementsAre(257, 'd'));
  EXPECT_THAT(encode_word(bpe, "ababc"), ElementsAre(257, 258));
  EXPECT_THAT(encode_word(bpe, ""), IsEmpty());
}

TEST(ByteBpe, MergesTheLeftmostPairFirst) {
  const ByteBpe bpe(BpeModel{.tokens = bytes_and({"aa"}), .merges = {{"a", "a"}}});
  EXPECT_THAT(encode_word(bpe, "aaa"), ElementsAre(256, 'a'));
}

TEST(ByteBpe, RanksNeedNotBeInTheOrderOfIds) {
  const ByteBpe bpe(
      BpeModel{.tokens = bytes_and({"ab", "bc"}), .merges = {{"b", "c"}, {"a", "b"}}});
  EXPECT_THAT(encode_word(bpe, "abc"), ElementsAre('a', 257));
}

TEST(ByteBpe, TakesWholeWordsOnlyIfTheModelIgnoresMerges) {
  BpeModel model = {.tokens = bytes_and({"ab", "abc"}), .merges = {{"a", "b"}}};
  EXPECT_THAT(encode(ByteBpe(model), "abc"), ElementsAre(256, 'c'));
  model.ignore_merges = true;
  EXPECT_THAT(encode(ByteBpe(model), "abc"), ElementsAre(257));
  EXPECT_THAT(encode(ByteBpe(model), "abcc"), ElementsAre(256, 'c', 'c'));
}

TEST(ByteBpe, MarksTheEndOfAWord) {
  const ByteBpe bpe(BpeModel{.tokens = {"a", "b", "a</w>", "b</w>", "ab</w>"},
                             .merges = {{"a", "b</w>"}},
                             .end_of_word_suffix = "</w>"});
  EXPECT_THAT(encode_word(bpe, "ab"), ElementsAre(4));
  EXPECT_THAT(encode_word(bpe, "aba"), ElementsAre(0, 1, 2));
  EXPECT_THAT(encode(bpe, "ab"), ElementsAre(4));
}

TEST(ByteBpe, DropsBytesThatAreNotTokens) {
  const ByteBpe bpe(BpeModel{.tokens = {"a", "b", "ab"}, .merges = {{"a", "b"}}});
  EXPECT_THAT(encode(bpe, "axb"), ElementsAre(2));
  EXPECT_THAT(encode(bpe, "xyz"), IsEmpty());
}

TEST(ByteBpe, RefusesMergesOutsideTheVocabulary) {
  EXPECT_THROW(ByteBpe(BpeModel{.tokens = {"a", "b"}, .merges = {{"a", "b"}}}), Error);
  EXPECT_THROW(ByteBpe(BpeModel{.tokens = {"a", "ab"}, .merges = {{"a", "b"}}}), Error);
}

TEST(ByteBpe, RefusesRanksWithoutAllBytes) {
  std::vector<std::string> tokens = all_bytes();
  tokens[7].clear();
  EXPECT_THROW(ByteBpe::from_ranks(tokens), Error);
}

TEST(ByteBpe, ReplacesInvalidUtf8) {
  const ByteBpe bpe = ByteBpe::from_ranks(all_bytes());
  EXPECT_THAT(encode(bpe, "a\xff"), ElementsAre('a', 0xef, 0xbf, 0xbd));
  EXPECT_THAT(encode_word(bpe, "\xff"), ElementsAre(0xff));
}

// Random tokens: many have parts of higher rank, or cannot be merged to.
std::vector<std::string> random_tokens(std::mt19937& random) {
  std::vector<std::string> tokens = all_bytes();
  while (tokens.size() < 400) {
    std::string token;
    const std::size_t size = 2 + random() % 5;
    while (token.size() < size)
      token += static_cast<char>('a' + random() % 3);
    if (std::ranges::find(tokens, token) == tokens.end()) tokens.push_back(token);
  }
  return tokens;
}

TEST(ByteBpe, AgreesWithTheDefinition) {
  std::mt19937 random(1);
  for (int round = 0; round < 5; ++round) {
    const std::vector<std::string> tokens = random_tokens(random);
    const ByteBpe bpe = ByteBpe::from_ranks(tokens);
    // Short words, and words of many windows.
    for (const std::size_t size :
         {1U, 2U, 3U, 5U, 8U, 13U, 15U, 16U, 17U, 40U, 128U, 129U, 256U, 257U, 400U}) {
      std::string word;
      while (word.size() < size)
        word += static_cast<char>('a' + random() % 4);
      const std::vector<Id> wanted = by_definition(tokens, word);
      EXPECT_EQ(encode_word(bpe, word), wanted) << word;
      EXPECT_EQ(encode(bpe, word), wanted) << word;
      EXPECT_EQ(encode(bpe, word), wanted) << "from the cache: " << word;
    }
  }
}

TEST(ByteBpe, KeepsManyWordsApartInTheCache) {
  std::mt19937 random(2);
  const ByteBpe bpe = ByteBpe::from_ranks(random_tokens(random));
  std::string text;
  std::vector<Id> wanted;
  for (int i = 0; i < 600'000; ++i) {
    std::string word = " ";
    const std::size_t size = i % 1000 == 0 ? 100 : 2 + random() % 18;
    while (word.size() < size)
      word += static_cast<char>('a' + random() % 4);
    bpe.encode_word(word, wanted);
    text += word;
  }
  EXPECT_EQ(encode(bpe, text), wanted);
  EXPECT_EQ(encode(bpe, text), wanted);
}

TEST(ByteBpe, EncodesInManyThreads) {
  std::mt19937 random(3);
  const ByteBpe bpe = ByteBpe::from_ranks(random_tokens(random));
  std::string text;
  for (int i = 0; i < 20'000; ++i)
    text += static_cast<char>("abc "[random() % 4]);
  const std::vector<Id> wanted = encode(bpe, text);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 20; ++i)
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round)
        EXPECT_EQ(encode(bpe, text), wanted);
    });
}

TEST(ByteBpe, TakesTimeProportionalToLongWords) {
  std::mt19937 random(4);
  const ByteBpe bpe = ByteBpe::from_ranks(random_tokens(random));
  EXPECT_FALSE(encode_word(bpe, std::string(4 << 20, 'a')).empty());
}

TEST(ByteBpe, FindsTokensAndTheirBytes) {
  const ByteBpe bpe = ByteBpe::from_ranks(bytes_and({"ab", "a token of more than 15 bytes"}));
  EXPECT_EQ(bpe.size(), 258);
  EXPECT_EQ(bpe.bytes(256), "ab");
  EXPECT_EQ(bpe.find("a token of more than 15 bytes"), 257);
  EXPECT_EQ(bpe.find("abc"), -1);
}

TEST(MergeTable, RefusesMoreRanksThanItPacks) {
  constexpr std::size_t kMost = MergeTable::kMostRanks;
  EXPECT_NO_THROW(MergeTable(1, kMost));
  EXPECT_THROW(MergeTable(1, kMost + 1), Error);
}

}  // namespace
}  // namespace meshwright::tokenizers
