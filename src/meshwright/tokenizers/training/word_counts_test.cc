// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/training/word_counts.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/base/str.h"

namespace meshwright::tokenizers {
namespace {

using Counts = std::map<std::string, std::int64_t>;

Counts counts_of(const WordCounts& words) {
  Counts out;
  words.for_each([&](std::string_view word, std::int64_t count) {
    EXPECT_TRUE(out.emplace(word, count).second) << word << " occurs twice";
  });
  EXPECT_EQ(out.size(), words.size());
  return out;
}

TEST(WordCounts, CountsShortAndLongWords) {
  const std::string long_word(16, 'x'), longer(100'000, 'x');
  const std::vector<std::string_view> list = {"a", "b", long_word, "a", longer, long_word, "a"};
  std::string text;
  std::vector<std::string_view> words;
  text.reserve(300'000);
  for (const std::string_view word : list) {
    words.emplace_back(text.data() + text.size(), word.size());
    text += word;
  }
  WordCounts counted;
  counted.add(words, text.data() + text.size());
  EXPECT_EQ(counts_of(counted), (Counts{{"a", 3}, {"b", 1}, {long_word, 2}, {longer, 1}}));
}

TEST(WordCounts, TellsZeroBytesApart) {
  WordCounts counted;
  for (const std::size_t size : {1U, 2U, 15U, 16U})
    counted.add(std::string(size, '\0'), static_cast<std::int64_t>(size));
  EXPECT_EQ(counts_of(counted), (Counts{{std::string(1, '\0'), 1},
                                        {std::string(2, '\0'), 2},
                                        {std::string(15, '\0'), 15},
                                        {std::string(16, '\0'), 16}}));
}

TEST(WordCounts, GrowsAndJoins) {
  Counts expected;
  WordCounts first, second;
  for (int i = 0; i < 50'000; ++i) {
    const std::string word = i % 3 == 0 ? str("a long word with number ", i) : str("w", i);
    first.add(word, 1);
    if (i % 2 == 0) second.add(word, i + 1);
    expected[word] = 1 + (i % 2 == 0 ? i + 1 : 0);
  }
  first.add(second);
  EXPECT_EQ(counts_of(first), expected);
}

}  // namespace
}  // namespace meshwright::tokenizers
