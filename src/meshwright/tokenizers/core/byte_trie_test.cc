// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/core/byte_trie.h"

#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

TEST(ByteTrie, FindsTheLongestPrefix) {
  const ByteTrie trie({{"a", 1}, {"abc", 2}, {"b", 3}});
  EXPECT_EQ(trie.longest_prefix("abd").length, 1u);
  EXPECT_EQ(trie.longest_prefix("abd").value, 1);
  EXPECT_EQ(trie.longest_prefix("abcd").length, 3u);
  EXPECT_EQ(trie.longest_prefix("abcd").value, 2);
  EXPECT_EQ(trie.longest_prefix("ca").length, 0u);
  EXPECT_EQ(trie.longest_prefix("").length, 0u);
}

TEST(ByteTrie, WithoutKeysFindsNothing) {
  const ByteTrie trie;
  for (int byte = 0; byte < 256; ++byte)
    EXPECT_EQ(trie.longest_prefix(std::string(1, static_cast<char>(byte))).length, 0u) << byte;
}

// Random keys of all bytes, among them 0 and 255, against a map.
TEST(ByteTrie, FindsExactlyItsKeys) {
  std::mt19937 random(1);
  std::map<std::string, std::int32_t> keys;
  const auto random_key = [&] {
    std::string key;
    const std::size_t size = 1 + random() % 6;
    for (std::size_t i = 0; i < size; ++i)
      key += static_cast<char>(random() % 3 == 0 ? random() % 256 : random() % 4 * 85);
    return key;
  };
  for (int i = 0; i < 20000; ++i)
    keys.emplace(random_key(), i);
  std::vector<ByteTrie::Entry> entries;
  for (const auto& [key, value] : keys)
    entries.push_back({key, value});
  const ByteTrie trie(entries);
  for (int i = 0; i < 20000; ++i) {
    const std::string key = random_key();
    const auto found = keys.find(key);
    ASSERT_EQ(trie.find(key), found == keys.end() ? -1 : found->second) << key;
  }
  for (const auto& [key, value] : keys)
    ASSERT_EQ(trie.find(key), value);
}

TEST(ByteTrie, KeepsLongKeys) {
  const std::string key(100'000, 'x');
  const ByteTrie trie({{key, 7}});
  EXPECT_EQ(trie.find(key), 7);
  EXPECT_EQ(trie.longest_prefix(key.substr(1)).length, 0u);
}

TEST(ByteTrie, RefusesEmptyAndRepeatedKeysAndNegativeValues) {
  EXPECT_THROW(ByteTrie({{"", 1}}), Error);
  EXPECT_THROW(ByteTrie({{"ab", 1}, {"ab", 2}}), Error);
  EXPECT_THROW(ByteTrie({{"ab", -1}}), Error);
}

}  // namespace
}  // namespace meshwright::tokenizers
