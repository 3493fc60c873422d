// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/word_cache.h"

#include <string>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

WordCache::Key key_of(std::string word) {
  const std::size_t size = word.size();
  word.append(WordCache::kPadding, '#');
  return WordCache::key(std::string_view(word).substr(0, size));
}

TEST(WordCache, KeyIsTheWordWithoutItsSurroundings) {
  EXPECT_EQ(key_of("abcdefghi"), WordCache::key(std::string_view("abcdefghi"
                                                                 "________________________________")
                                                    .substr(0, 9)));
  EXPECT_NE(key_of("a"), key_of("b"));
  EXPECT_NE(key_of(std::string("a\0", 2)), key_of("a"));
  EXPECT_NE(key_of(std::string(28, 'x')), key_of(std::string(27, 'x')));
}

TEST(WordCache, ReturnsWhatWasInserted) {
  WordCache cache(4);
  EXPECT_EQ(cache.find(key_of("word")), nullptr);
  const std::vector<Id> ids = {1, 2, 3};
  cache.insert(key_of("word"), ids, 5);
  const WordCache::Entry* entry = cache.find(key_of("word"));
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(std::vector<Id>(entry->view().begin(), entry->view().end()), ids);
  EXPECT_EQ(entry->limit, 5);
}

TEST(WordCache, KeepsTheTwoNewestWordsOfASlot) {
  WordCache cache(1);  // one slot
  for (const char* word : {"a", "b", "c"})
    cache.insert(key_of(word), {}, 0);
  EXPECT_EQ(cache.find(key_of("a")), nullptr);
  EXPECT_NE(cache.find(key_of("b")), nullptr);
  EXPECT_NE(cache.find(key_of("c")), nullptr);
}

}  // namespace
}  // namespace meshwright::tokenizers
