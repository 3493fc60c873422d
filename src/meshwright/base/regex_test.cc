// SPDX-License-Identifier: Apache-2.0
#include "meshwright/base/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/error.h"

namespace meshwright {
namespace {

TEST(Regex, MatchesOnlyTheWholeText) {
  Regex weights(".*/w_[a-z]+");
  EXPECT_TRUE(weights.matches("decoder/layers/w_gate"));
  EXPECT_FALSE(weights.matches("decoder/layers/w_gate2"));
  EXPECT_FALSE(weights.matches("w_gate"));
}

TEST(Regex, TriesEveryAlternativeUntilOneMatchesTheWhole) {
  EXPECT_TRUE(Regex("a|ab").matches("ab"));
  EXPECT_FALSE(Regex("a|ab").matches("abc"));
  EXPECT_TRUE(Regex("(?!.*bias).*kernel").matches("mlp/kernel"));
  EXPECT_FALSE(Regex("(?!.*bias).*kernel").matches("bias/kernel"));
}

TEST(Regex, TakesWhatPythonTakes) {
  EXPECT_TRUE(Regex("a{2,300}_12345").matches("aa_12345"));
  EXPECT_TRUE(Regex("\\\\12345").matches("\\12345"));
  EXPECT_TRUE(Regex("\\{12345").matches("{12345"));
  EXPECT_TRUE(Regex("(?P<x>a|b)_(?P=x)").matches("b_b"));
  EXPECT_TRUE(Regex(".*(?<!bias)").matches("mlp/kernel"));
  EXPECT_FALSE(Regex(".*(?<!bias)").matches("mlp/bias"));
  EXPECT_TRUE(Regex("(?i)W_[]a]").matches("w_]"));
  EXPECT_TRUE(Regex("gr.n").matches("gr\u00fcn"));
  EXPECT_FALSE(Regex("a.b").matches("a\nb"));
  EXPECT_FALSE(Regex("a|b").matches("a\n"));
}

TEST(Regex, ABadPatternIsAnErrorThatShowsIt) {
  for (const char* pattern : {"(a", "*a", "[z-a]", "a{,3}", "a{9223372036854775808}",
                              "((a{1000}){1000}){1000}", "(a)\\g{1000}"}) {
    EXPECT_THAT(message_of([&] { Regex regex(pattern); }), testing::HasSubstr(pattern));
  }
}

TEST(Regex, GivesUpOnPatternsThatWouldTakeYears) {
  EXPECT_TRUE(Regex("((a*)*)*b").matches("aaab"));
  EXPECT_THAT(message_of([&] { Regex("(a|aa)+[bc]").matches(std::string(100, 'a')); }),
              testing::HasSubstr("fewer nested repetitions"));
}

}  // namespace
}  // namespace meshwright
