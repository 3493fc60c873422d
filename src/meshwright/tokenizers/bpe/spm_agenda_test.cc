// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/bpe/spm_agenda.h"

#include <random>
#include <set>
#include <utility>

#include <gtest/gtest.h>

namespace meshwright::tokenizers {
namespace {

// Few ranks, so that many entries come to the left of their list's last one.
TEST(SpmAgenda, PopsByRankThenPosition) {
  std::mt19937 random(3);
  SpmAgenda agenda(5);
  std::multiset<std::pair<std::uint32_t, std::uint32_t>> expected;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 3 != 0 || expected.empty()) {
      const SpmAgenda::Entry entry{static_cast<std::uint32_t>(random() % 5),
                                   static_cast<std::uint32_t>(random() % 100)};
      agenda.push(entry);
      expected.emplace(entry.rank, entry.position);
      continue;
    }
    ASSERT_FALSE(agenda.empty());
    const SpmAgenda::Entry entry = agenda.pop();
    ASSERT_EQ(std::make_pair(entry.rank, entry.position), *expected.begin());
    expected.erase(expected.begin());
  }
  for (; !expected.empty(); expected.erase(expected.begin()))
    ASSERT_EQ(agenda.pop().position, expected.begin()->second);
  EXPECT_TRUE(agenda.empty());
}

}  // namespace
}  // namespace meshwright::tokenizers
