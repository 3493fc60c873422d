// SPDX-License-Identifier: Apache-2.0
#include "meshwright/tokenizers/split/rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright::tokenizers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::vector<std::string_view> split(std::string_view pattern, std::string_view text) {
  return words_of(*find_splitter(pattern), text);
}

std::vector<std::string_view> split(const SplitRule& rule, std::string_view text) {
  return words_of(*make_splitter(rule), text);
}

TEST(FindSplitter, SplitsAsGpt2) {
  EXPECT_THAT(split(kGpt2Pattern, "I'm  sure it'S 123456x!?  \n y "),
              ElementsAre("I", "'m", " ", " sure", " it", "'", "S", " 123456", "x", "!?", "  \n",
                          " y", " "));
  EXPECT_THAT(split(kGpt2Pattern, ""), IsEmpty());
}

TEST(FindSplitter, SplitsAsLlama3) {
  EXPECT_THAT(split(kLlama3, "it'S (good)\t12345, \n\n  yes...\n  "),
              ElementsAre("it", "'S", " (", "good", ")", "\t", "123", "45", ",", " \n\n", " ",
                          " yes", "...\n", "  "));
}

TEST(FindSplitter, SplitsWordsByCase) {
  EXPECT_THAT(split(kTekken, "HelloWorld HTTPServer ABC12 a/b//"),
              ElementsAre("Hello", "World", " HTTPServer", " ABC", "1", "2", " a", "/b", "//"));
  // The caseless letter ends the first word, since upper case follows and lower case does not.
  EXPECT_THAT(split(kTekken,
                    "A\xe4\xb8\xad"
                    "BC."),
              ElementsAre("A\xe4\xb8\xad", "BC", "."));
}

TEST(FindSplitter, KnowsNoOtherPattern) {
  EXPECT_EQ(find_splitter(R"(\w+)"), nullptr);
  EXPECT_EQ(find_splitter(""), nullptr);
}

TEST(MakeSplitter, TreatsMatchesByTheBehavior) {
  const std::string text = "a--b-";
  const auto with = [&](SplitBehavior behavior, bool invert = false) {
    return split({.pattern = "-", .behavior = behavior, .invert = invert}, text);
  };
  EXPECT_THAT(with(SplitBehavior::removed), ElementsAre("a", "b"));
  EXPECT_THAT(with(SplitBehavior::removed, true), ElementsAre("-", "-", "-"));
  EXPECT_THAT(with(SplitBehavior::isolated), ElementsAre("a", "-", "-", "b", "-"));
  EXPECT_THAT(with(SplitBehavior::contiguous), ElementsAre("a", "--", "b", "-"));
  EXPECT_THAT(with(SplitBehavior::merged_with_previous), ElementsAre("a-", "-", "b-"));
  EXPECT_THAT(with(SplitBehavior::merged_with_next), ElementsAre("a", "-", "-b", "-"));
}

TEST(MakeSplitter, TakesPlainText) {
  EXPECT_THAT(split({.pattern = ".*", .is_regex = false}, "a.*b"), ElementsAre("a", ".*", "b"));
}

TEST(MakeSplitter, GivesTheWordsOfTheRegularExpressionForKnownPatterns) {
  const std::string text = "It's 12345 \xe4\xb8\xad\xe6\x96\x87, e\xcc\x81 \n\n  OK?!\r\n /x ";
  for (const std::string_view pattern : {kGpt2Pattern, kLlama3, kTekken}) {
    if (pattern == kLlama3) continue;  // ignores case, which to_pcre2 takes only for plain letters
    const std::string same = "(?:" + std::string(pattern) + ")";
    EXPECT_EQ(split({.pattern = same}, text), split(pattern, text)) << pattern;
  }
}

TEST(MakeSplitter, AppliesSplitsOneAfterTheOther) {
  const SplitterPtr splitter =
      split_in_sequence({make_splitter({.pattern = R"(\p{N}{1,3})"}), find_splitter(kGpt2Pattern)});
  EXPECT_THAT(words_of(*splitter, "a 1234b"), ElementsAre("a", " ", "123", "4", "b"));
  EXPECT_THAT(words_of(*split_in_sequence({}), "a b"), ElementsAre("a b"));
}

TEST(MakeSplitter, RefusesSyntaxThatPcre2MayReadDifferently) {
  for (const char* pattern : {"^a", "a$", R"(\bx)", R"(\h)", "[[:alpha:]]", "[a&&b]", R"(\p{Han})",
                              "(?m:a)", "(?<name>a)", "a{,3}", "a{1,3}+", R"((?i:\p{Lu}))",
                              "(?i:ss)", R"(\1)", "a{2}?", R"(\p)", "a\\"}) {
    try {
      make_splitter({.pattern = pattern});
      ADD_FAILURE() << pattern;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unimplemented) << pattern;
      EXPECT_THAT(error.message(), HasSubstr("not supported"));
    }
  }
}

TEST(MakeSplitter, RefusesInvalidAndEmptyMatches) {
  EXPECT_THROW(make_splitter({.pattern = "(a"}), Error);
  EXPECT_THROW(make_splitter({.pattern = "[a"}), Error);
  EXPECT_THROW(make_splitter({.pattern = "a*"}), Error);
}

TEST(MakeSplitter, BoundsTheMemoryOfLongMatches) {
  const SplitterPtr splitter = make_splitter({.pattern = R"((?:a|b)+|\s)"});
  const std::string text(1 << 16, 'a'), longer(4 << 20, 'a');
  EXPECT_THAT(words_of(*splitter, text), ElementsAre(text));
  try {
    words_of(*splitter, longer);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource_exhausted);
  }
}

}  // namespace
}  // namespace meshwright::tokenizers
