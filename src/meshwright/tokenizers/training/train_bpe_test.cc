// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/train_bpe.h"

#include <algorithm>
#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/open/open_tokenizer.h"
#include "meshwright/tokenizers/split/rule.h"
#include "meshwright/tokenizers/training/trained_json.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::pair<std::string, std::int64_t>>;

TrainedBpe trained(const Words& words, const BpeTrainingOptions& options = {}) {
  WordCounts counts;
  for (const auto& [word, count] : words)
    counts.add(word, count);
  return train_bpe(counts, options);
}

// Returns the merged pairs as "left right".
std::vector<std::string> merges_of(const TrainedBpe& bpe) {
  std::vector<std::string> out;
  for (const auto& [left, right] : bpe.merges)
    out.push_back(bpe.tokens[static_cast<std::size_t>(left)] + ' ' +
                  bpe.tokens[static_cast<std::size_t>(right)]);
  return out;
}

TEST(TrainBpe, MergesTheMostFrequentPairFirst) {
  const TrainedBpe bpe = trained({{"abc", 5}, {"xbc", 4}, {"ab", 3}});
  EXPECT_THAT(merges_of(bpe), ElementsAre("b c", "a bc", "x bc", "a b"));
  EXPECT_EQ(bpe.num_text_tokens, 5 + 4 + 3);
}

TEST(TrainBpe, MergesThePairWithTheSmallerIdsFirstIfCountsAreEqual) {
  EXPECT_THAT(merges_of(trained({{"cd", 2}, {"ab", 2}, {"ac", 2}})),
              ElementsAre("a b", "a c", "c d"));
}

TEST(TrainBpe, MergesRunsFromTheLeft) {
  const TrainedBpe bpe = trained({{"aaaaa", 2}});
  EXPECT_THAT(merges_of(bpe), ElementsAre("a a", "aa a", "aa aaa"));
  EXPECT_EQ(bpe.num_text_tokens, 2);
}

TEST(TrainBpe, BeginsWithSpecialTokensAndBytes) {
  const TrainedBpe bpe = trained({}, {.special_tokens = {"<s>", "</s>"}});
  ASSERT_EQ(bpe.tokens.size(), 258);
  EXPECT_EQ(bpe.tokens[0], "<s>");
  EXPECT_EQ(bpe.tokens[1], "</s>");
  EXPECT_EQ(bpe.tokens[2], "!");
  EXPECT_EQ(bpe.tokens[257], "\xc5\x83");  // U+0143, the last character that stands for a byte
  EXPECT_THAT(bpe.merges, IsEmpty());
}

TEST(TrainBpe, StopsAtTheSizeOrTheCount) {
  const Words words = {{"abcd", 3}, {"ab", 1}, {"xy", 2}};
  EXPECT_EQ(trained(words, {.vocab_size = 258}).tokens.size(), 258);
  EXPECT_THAT(merges_of(trained(words, {.min_count = 4})), ElementsAre("a b"));
  EXPECT_THAT(merges_of(trained(words, {.min_count = 3})), ElementsAre("a b", "c d", "ab cd"));
}

TEST(TrainBpe, MakesNoLongerTokensThanAllowed) {
  const Words words = {{"abcdef", 9}};
  EXPECT_THAT(merges_of(trained(words, {.max_token_bytes = 3})), ElementsAre("a b", "c d", "e f"));
  EXPECT_THAT(merges_of(trained(words, {.max_token_bytes = 4})),
              ElementsAre("a b", "c d", "e f", "ab cd"));
}

TEST(TrainBpe, DoesNotDependOnTheOrderOfWords) {
  std::mt19937 random(5);
  Words words;
  for (int i = 0; i < 400; ++i) {
    std::string word;
    for (std::size_t size = 1 + random() % 9; size > 0; --size)
      word += static_cast<char>('a' + random() % 3);
    words.emplace_back(word, static_cast<std::int64_t>(1 + random() % 4));
  }
  const std::vector<std::string> merges = merges_of(trained(words, {.min_count = 1}));
  EXPECT_GT(merges.size(), 300);
  for (int i = 0; i < 5; ++i) {
    std::ranges::shuffle(words, random);
    EXPECT_EQ(merges_of(trained(words, {.min_count = 1})), merges);
  }
}

TEST(TrainBpe, CountsBeyondThirtyTwoBits) {
  const std::int64_t many = std::int64_t{1} << 33;
  const TrainedBpe bpe = trained({{"abab", many}, {"xy", many + 1}}, {.vocab_size = 258});
  EXPECT_THAT(merges_of(bpe), ElementsAre("a b", "x y"));
  EXPECT_EQ(bpe.num_text_tokens, 3 * many + 1);
}

void expect_refused(const BpeTrainingOptions& options, const char* message) {
  EXPECT_THAT([&] { trained({}, options); }, testing::ThrowsMessage<Error>(HasSubstr(message)));
}

TEST(TrainBpe, RefusesOptionsThatMakeNoSense) {
  expect_refused({.vocab_size = 256, .special_tokens = {"<s>"}},
                 "not between 257 (256 bytes and 1 special tokens)");
  expect_refused({.vocab_size = (1 << 21) + 1}, "and 2097152");
  expect_refused({.special_tokens = {""}}, "is empty");
  expect_refused({.special_tokens = {"<s>", "<s>"}}, "'<s>' is given twice");
  expect_refused({.special_tokens = {"a"}}, "'a' is also the spelling of a byte");
  expect_refused({.special_tokens = {"\xff\xfe"}}, "not valid UTF-8");
  expect_refused({.min_count = 0}, "min_count is 0");
  expect_refused({.max_token_bytes = 1}, "max_token_bytes is 1");
}

TEST(TrainBpe, GivesATokenizerThatReadsItsOwnText) {
  const TrainedBpe bpe = trained({{"the", 5}, {" cat", 4}, {" the", 6}, {"\xc3\xa9t\xc3\xa9", 3}},
                                 {.special_tokens = {"<|endoftext|>"}});
  const auto tokenizer = tokenizer_of_content(trained_json(bpe, named_patterns("gpt2")), "trained");
  EXPECT_EQ(tokenizer->vocab_size(), std::ssize(bpe.tokens));
  EXPECT_EQ(tokenizer->special_tokens().eos, 0);
  std::vector<Id> ids;
  tokenizer->encode("the cat\xc3\xa9t\xc3\xa9 the<|endoftext|>", ids);
  EXPECT_EQ(ids.size(), 5);
  EXPECT_EQ(ids.back(), 0);
  EXPECT_EQ(tokenizer->decode(ids), "the cat\xc3\xa9t\xc3\xa9 the");
}

}  // namespace
}  // namespace meshwright::tokenizers
