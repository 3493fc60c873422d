// SPDX-License-Identifier: Apache-2.0
// Malformed input: an error, never a crash.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/config/config_testutil.h"

namespace meshwright::config {
namespace {

using testing::HasSubstr;

std::string repeated(std::string_view part, int times) {
  std::string text;
  for (int i = 0; i < times; ++i)
    text += part;
  return text;
}

TEST(Attack, DeepNestingIsRefused) {
  EXPECT_THAT(error_of(str("x = ", repeated("[", 100000))), HasSubstr("invalid TOML"));
  EXPECT_THAT(error_of(str("x = ", repeated("{a=", 100000))), HasSubstr("invalid TOML"));
  EXPECT_THAT(error_of(str("x", repeated(".a", 1000000), " = 1")), HasSubstr("too many parts"));
  EXPECT_THAT(error_of(str("x", repeated(".\",\"", 300000), " = 1")), HasSubstr("too many parts"));
  EXPECT_THAT(error_of(str("[x", repeated(".a", 1000000), "]")), HasSubstr("too many parts"));
  EXPECT_THAT(error_of("name='x'\n", {str("x", repeated(".a", 100000), "=1")}),
              HasSubstr("is not a valid key"));
}

TEST(Attack, DotsInTextsAndNumbersAreNoKeyParts) {
  EXPECT_EQ(error_of(str("name = \"", repeated(".", 1000), "\" # ", repeated(".", 1000))),
            "no error");
  EXPECT_EQ(error_of(str("name = '''", repeated(".\n\"", 1000), "'''")), "no error");
  EXPECT_EQ(error_of(str("name = \"x\"\ninner.numbers = [", repeated("0.5, ", 1000), "]")),
            "no error");
}

TEST(Attack, ByteOrderMarksAndWindowsLineEndsAreTaken) {
  EXPECT_EQ(error_of("\xEF\xBB\xBFname = \"x\"\r\ncount = 3\r\n"), "no error");
  EXPECT_THAT(error_of("\xEF\xBB\xBFname = \"x\"\r\ncount = y\r\n"),
              HasSubstr("\n  2 | count = y\n"));
}

TEST(Attack, BytesThatAreNoTextAreRefused) {
  using namespace std::string_literals;
  EXPECT_THAT(error_of("name = \"x\0y\""s), HasSubstr("invalid TOML"));
  EXPECT_THAT(error_of("name = \"x\xFF\xFE\""), HasSubstr("invalid TOML"));
  EXPECT_THAT(error_of("\xFF\xFEn\0a\0"s), HasSubstr("invalid TOML"));
  EXPECT_THAT(error_of("name = \"\xF0\x9F\""), HasSubstr("invalid TOML"));
}

TEST(Attack, MessagesHoldNothingThatATerminalWouldObey) {
  const std::string message = error_of("name = \"x\"\n\x1B[2J = 1\n");
  EXPECT_EQ(message.find('\x1B'), std::string::npos);
  EXPECT_EQ(error_of("name = \"x\"\ncount = \"\\u001B[2J\"").find('\x1B'), std::string::npos);
  EXPECT_EQ(error_of("name = \"x\"\n\"\\u001B[2J\" = 1").find('\x1B'), std::string::npos);
  EXPECT_EQ(error_of("name = \"x\"", {"count=\x1B[2J"}).find('\x1B'), std::string::npos);
}

TEST(Attack, LongLinesAreCut) {
  EXPECT_LT(error_of(str("count = \"", std::string(100000, 'a'), "\"")).size(), 600U);
}

/// Mutates a valid text. Only Error may be thrown.
TEST(Attack, MutatedTextsNeverCrash) {
  const std::string seed = R"(name = "x"
count = 1e3
rules = { embed = ["a", "b"], "q.r" = 'c' }
[schedule]
type = "joined"
parts = [0.5, { type = "cosine", peak = 2 }]
[[inners]]
numbers = [1.5, -2, nan]
)";
  const std::string alphabet = str("[]{}=.,\"'\\#\n\r\t abz019-_+eE:\xEF\xBB\xBF\xFF", '\0');
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text = seed;
    for (int edit = 0; edit < 1 + round % 5; ++edit) {
      const std::size_t at = random() % text.size();
      const char c = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0) text.erase(at, 1 + random() % 8);
      text.insert(std::min(at, text.size()), random() % 4, c);
      if (text.empty()) text.push_back('\n');
    }
    error_of(text, {text.substr(0, random() % 40)});
  }
}

}  // namespace
}  // namespace meshwright::config
