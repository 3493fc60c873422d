// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/normalize/charsmap.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "meshwright/base/error.h"
#include "meshwright/tokenizers/normalize/charsmap_testutil.h"

namespace meshwright::tokenizers {
namespace {

TEST(Charsmap, AppliesTheRuleOfTheLongestKey) {
  const Charsmap map(charsmap_bytes({{"a", "x"}, {"abc", "yz"}, {"q", ""}}));
  EXPECT_EQ(map.longest_prefix("abd").length, 1u);
  EXPECT_EQ(map.longest_prefix("abd").replacement, "x");
  EXPECT_EQ(map.longest_prefix("abcd").length, 3u);
  EXPECT_EQ(map.longest_prefix("abcd").replacement, "yz");
  EXPECT_EQ(map.longest_prefix("q").length, 1u);
  EXPECT_EQ(map.longest_prefix("q").replacement, "");
  EXPECT_EQ(map.longest_prefix("ba").length, 0u);
  EXPECT_EQ(map.longest_prefix(std::string("\0a", 2)).length, 0u);
}

TEST(Charsmap, KnowsWhatMayBeginAKey) {
  const Charsmap map(charsmap_bytes({{"abc", ""}}));
  EXPECT_TRUE(map.may_begin_key("ab"));
  EXPECT_FALSE(map.may_begin_key("b"));
  EXPECT_FALSE(Charsmap().may_begin_key("a"));
}

TEST(Charsmap, RefusesMalformedBytes) {
  const std::string good = charsmap_bytes({{"a", "\xc3\xa9"}});
  EXPECT_THROW(Charsmap(""), Error);
  EXPECT_THROW(Charsmap("\1\1\1"), Error);
  EXPECT_THROW(Charsmap(good.substr(0, 500)), Error);
  EXPECT_THROW(Charsmap(good + "\xff"), Error);
  std::string huge = good;
  huge.replace(0, 4, "\xff\xff\xff\x7f");
  EXPECT_THROW(Charsmap{huge}, Error);
}

// Flips single bits of every unit: such a trie is refused or walked within its bounds, even if it
// has cycles.
TEST(Charsmap, SurvivesDamagedTries) {
  const std::string good = charsmap_bytes({{"ab", "x"}, {"ac", "y"}, {"b", "z"}});
  std::mt19937 random(1);
  for (std::size_t at = 4; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 1 << random() % 8);
    try {
      const Charsmap map(damaged);
      for (const char* text : {"ab", "acacacacac", "bbbb", "\xff\xff"})
        map.longest_prefix(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data_loss);
    }
  }
}

}  // namespace
}  // namespace meshwright::tokenizers
