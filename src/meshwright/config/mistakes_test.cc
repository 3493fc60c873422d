// SPDX-License-Identifier: Apache-2.0
// Error messages for common mistakes, verbatim.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config_testutil.h"

namespace meshwright::config {
namespace {

using testing::HasSubstr;

TEST(Mistakes, AreToldAllAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(error_of(R"(nam = "x"
count = 1.5
[inner]
small = 300
[schedule]
type = "cosin"
peak = 1
)",
                     {"rate=-1"}),
            R"(5 errors in the config
a.toml:1:1: unknown key 'nam'; did you mean 'name'?
  1 | nam = "x"
    | ^
a.toml:2:9: count is 1.5, but must be a whole number
  2 | count = 1.5
    |         ^
a.toml:4:9: inner.small is 300, but must be a whole number from 0 to 255
  4 | small = 300
    |         ^
a.toml:6:8: schedule.type is "cosin", but must be "constant" or "cosine" or "joined"; did you mean 'cosine'?
  6 | type = "cosin"
    |        ^
override: rate is -1, but must be positive
   | rate=-1
   |      ^)");
}

/// Returns the first line of the message for a wrong line after a valid one.
std::string told(const std::string& line) {
  const std::string message = error_of("name = \"x\"\n" + line + "\n");
  return message.substr(0, message.find('\n'));
}

TEST(Mistakes, AQuotedNumber) {
  EXPECT_EQ(told("count = \"3\""),
            "a.toml:2:9: count is \"3\", but must be a whole number; leave out the quotes");
}

TEST(Mistakes, AWordWhereANumberOrAutoIsWanted) {
  EXPECT_EQ(told("size = \"automatic\""),
            "a.toml:2:8: size is \"automatic\", but must be a whole number or \"auto\"");
}

TEST(Mistakes, ATableWhereAValueIsWanted) {
  EXPECT_EQ(told("rate = { value = 1 }"), "a.toml:2:8: rate is a table, but must be a number");
}

TEST(Mistakes, AValueWhereATableIsWanted) {
  EXPECT_EQ(told("inner = 3"), "a.toml:2:9: inner is 3, but must be a table");
}

TEST(Mistakes, AMisspeltChoice) {
  EXPECT_EQ(told("color = \"gren\""),
            "a.toml:2:9: color is \"gren\", but must be \"red\" or \"green\" or \"dark_blue\"; did "
            "you mean 'green'?");
  EXPECT_EQ(told("mode = \"exakt\""),
            "a.toml:2:8: mode is \"exakt\", but must be \"fast\" or \"exact\"; did you mean "
            "'exact'?");
}

TEST(Mistakes, ARequiredKeyThatIsMissing) {
  EXPECT_EQ(error_of("count = 1\n"), "a.toml: name is missing: what it is called (a string)");
  EXPECT_EQ(told("schedule = { type = \"cosine\" }"),
            "a.toml:2:12: schedule.peak is missing: highest value (a number)");
}

TEST(Mistakes, ATableWithoutItsType) {
  EXPECT_EQ(told("schedule = { peak = 1 }"),
            "a.toml:2:12: schedule.type is missing, expected one of \"constant\", \"cosine\", "
            "\"joined\"");
}

TEST(Mistakes, AnElementOfAList) {
  EXPECT_EQ(told("list = [1, 2, \"x\"]"),
            "a.toml:2:15: list.2 is \"x\", but must be a whole number");
  EXPECT_EQ(told("inner.numbers = [1, -1]"),
            "a.toml:2:21: inner.numbers.1 is -1, but must be at least 0");
}

TEST(Mistakes, AnUnknownKeyInsideATable) {
  EXPECT_EQ(told("inner.ratoi = 1"),
            "a.toml:2:7: unknown key 'ratoi' in inner; did you mean 'ratio'?");
  EXPECT_EQ(told("schedules.lr = { type = \"constant\", valu = 1 }"),
            "a.toml:2:37: unknown key 'valu' in schedules.lr; did you mean 'value'?");
}

TEST(Mistakes, ARuleOfItsOwn) {
  EXPECT_EQ(told("power = 12"), "a.toml:2:9: power is 12, but must be a power of two");
}

TEST(Mistakes, ARuleBetweenTwoKeys) {
  EXPECT_EQ(told("schedule = { type = \"cosine\", peak = 1, warmup_steps = 100 }"),
            "a.toml:2:56: schedule.warmup_steps is 100, but must be below total_steps");
}

TEST(Mistakes, AnEmptyNameOrList) {
  EXPECT_THAT(error_of("name = \"\""), HasSubstr("name is \"\", but must not be empty"));
  EXPECT_THAT(error_of("name = \"x\"\naxes = []"), HasSubstr("axes is [], but must not be empty"));
}

TEST(Mistakes, AStringThatIsNoneOfItsKind) {
  EXPECT_EQ(told("version = \"3\""),
            "a.toml:2:11: version is \"3\", which is not a version: there is no dot in it");
}

TEST(Mistakes, ANumberTooLargeAndOneThatIsNone) {
  EXPECT_EQ(told("count = 1e300"), "a.toml:2:9: count is 1e+300, but must be a whole number");
  EXPECT_EQ(told("rate = 0"), "a.toml:2:8: rate is 0, but must be positive");
  EXPECT_EQ(told("rate = nan"), "a.toml:2:8: rate is nan, but must be positive");
  EXPECT_THAT(told("count = 99999999999999999999"), HasSubstr("a.toml:2:"));
}

TEST(Mistakes, ADate) {
  EXPECT_EQ(told("limit = 2026-01-01"),
            "a.toml:2:9: dates and times are not supported; put it in quotes");
}

TEST(Mistakes, BrokenToml) {
  EXPECT_THAT(error_of("name = \"x\"\ncount = = 3\n"),
              testing::StartsWith("a.toml:2:9: invalid TOML: "));
  EXPECT_THAT(told("[=]"), testing::StartsWith("a.toml:2:2: invalid TOML: "));
  EXPECT_THAT(error_of("name = x\n"), HasSubstr("\n  1 | name = x\n"));
  EXPECT_THAT(error_of("name = \"x\"\nname = \"y\"\n"), HasSubstr("a.toml:2:"));
}

TEST(Mistakes, SayWhereTheCallerWasGivenTheOverride) {
  const std::vector<std::string> words = {"count"};
  EXPECT_EQ(message_of([&] { parse_overrides(words, "environment"); }),
            "environment: expected key.path=value\n   | count\n   | ^");
}

TEST(Mistakes, InOverrides) {
  EXPECT_EQ(error_of("name = \"x\"", {"count"}),
            "override: expected key.path=value\n   | count\n   | ^");
  EXPECT_EQ(error_of("name = \"x\"", {"inner..flag=true"}),
            "override: 'inner..flag' is not a valid key: separate its parts by dots, and "
            "quote parts with dots or spaces\n   | inner..flag=true\n   | ^");
  EXPECT_EQ(error_of("name = \"x\"", {"inner.flag=True"}),
            "override: inner.flag is \"True\", but must be true or false\n   | "
            "inner.flag=True\n   |            ^");
  EXPECT_THAT(error_of("name = \"x\"\nlist = [1]", {"list.5=1"}),
              HasSubstr("list is a list of 1 and has no element '5'"));
  EXPECT_THAT(error_of("name = \"x\"", {"phases.value=5"}),
              HasSubstr("phases is a list of 0 and has no element 'value'"));
  EXPECT_THAT(error_of("name = \"x\"\nlist = [1]", {"list.type=constant"}),
              HasSubstr("has no element 'type'"));
}

TEST(Mistakes, TooManyToTellAreCounted) {
  std::string text = "name = \"x\"\n";
  for (int i = 0; i < 50; ++i)
    text += str("zzzzzzzz", i, " = 1\n");
  const std::string message = error_of(text);
  EXPECT_THAT(message, testing::StartsWith("50 errors in the config\n"));
  EXPECT_THAT(message, testing::EndsWith("\nand 30 more"));
}

}  // namespace
}  // namespace meshwright::config
