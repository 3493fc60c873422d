// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/read.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/config/config_testutil.h"
#include "meshwright/config/merge.h"

namespace meshwright::config {
namespace {

Everything read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Everything value{};
  Problems problems;
  Node tree = parse_toml(std::make_shared<const Source>(Source{"a.toml", "name = \"x\"\n" + text}));
  tree = merged(std::move(tree), parse_overrides(overrides), problems);
  read_object(type_of<Everything>(), tree, &value, problems);
  problems.throw_if_any();
  return value;
}

TEST(Read, LeavesDefaultsWhereNothingIsSaid) {
  const Everything value = read("");
  EXPECT_EQ(value.count, 8);
  EXPECT_EQ(value.color, Color::green);
  EXPECT_FALSE(value.limit.has_value());
  EXPECT_TRUE(value.size.is_auto());
  EXPECT_EQ(value.axes, OneOrMore<std::string>{"data"});
}

TEST(Read, NoneAndAutoStandForNoValue) {
  const Everything value = read("limit = \"none\"\nsize = 3\nextra = { flag = true }");
  EXPECT_FALSE(value.limit.has_value());
  EXPECT_EQ(*value.size, 3);
  EXPECT_TRUE(value.extra->flag);
  EXPECT_TRUE(read("size = 3", {"size=auto"}).size.is_auto());
}

TEST(Read, TakesWholeNumbersInScientificForm) {
  EXPECT_EQ(read("count = 1e6").count, 1000000);
  EXPECT_EQ(read("rate = 2").rate, 2.0);
}

struct Walk {
  OrEndless<std::int64_t> end = 3;
  void fields(auto& f) { f.optional("end", end, kNotNegative, "where it ends"); }
};

std::optional<std::int64_t> end_of(const std::string& value) {
  return from_toml<Walk>("end = " + value).end;
}

TEST(Read, AnEndIsAWholeNumberInAnyFormOrInfinity) {
  EXPECT_EQ(end_of("1e5"), 100'000);
  EXPECT_EQ(end_of("100000.0"), 100'000);
  EXPECT_EQ(end_of("inf"), std::nullopt);
  EXPECT_EQ(end_of("+inf"), std::nullopt);
  EXPECT_EQ(end_of("\"auto\""), std::nullopt);
  for (const char* wrong : {"2.5", "-inf", "nan", "\"inf\"", "1e300"}) {
    EXPECT_THAT(message_of([&] { end_of(wrong); }),
                testing::HasSubstr(", but must be a whole number, \"auto\" or inf"))
        << wrong;
  }
}

TEST(Read, ALoneElementStandsForAListOfOne) {
  const Everything value = read("rules = { embed = \"fsdp\", batch = [\"data\", \"fsdp\"] }");
  EXPECT_EQ(value.rules.at("embed"), OneOrMore<std::string>{"fsdp"});
  EXPECT_EQ(value.rules.at("batch").size(), 2U);
}

TEST(Read, AVariantIsChosenByItsTypeOrByWhatStandsThere) {
  EXPECT_EQ(std::get<double>(read("schedule = 1").schedule), 1.0);
  const Everything value = read(R"(
[schedule]
type = "joined"
parts = [0.5, { type = "cosine", peak = 2 }, { type = "joined", parts = [1] }]
)");
  const Joined& joined = std::get<Joined>(value.schedule);
  ASSERT_EQ(joined.parts.size(), 3U);
  EXPECT_EQ(std::get<Cosine>(joined.parts[1]).peak, 2.0);
  EXPECT_EQ(std::get<double>(std::get<Joined>(joined.parts[2]).parts[0]), 1.0);
}

TEST(Read, KeepsTheOrderOfNamesWhereItCounts) {
  const Everything value = read("mesh = { tensor = 2, data = \"auto\" }", {"mesh.expert=4"});
  ASSERT_EQ(value.mesh.size(), 3U);
  EXPECT_EQ(value.mesh[0].first, "tensor");
  EXPECT_TRUE(value.mesh[1].second.is_auto());
  EXPECT_EQ(value.mesh[2], std::pair(std::string("expert"), OrAuto<std::int64_t>(4)));
}

TEST(Read, ATableOfNamesReplacesTheDefaultAndAnOverrideAddsToIt) {
  EXPECT_EQ(read("rules = { embed = \"fsdp\" }").rules.size(), 1U);
  EXPECT_EQ(read("", {"rules.embed=fsdp"}).rules.size(), 2U);
}

TEST(Read, NoneTakesAnEntryOutOfATableOfTables) {
  EXPECT_TRUE(read("schedules = { lr = \"none\" }").schedules.empty());
}

TEST(Override, IsTomlOrElseAString) {
  EXPECT_EQ(read("", {"name=plain words"}).name, "plain words");
  EXPECT_EQ(read("", {"name=\"quoted\""}).name, "quoted");
  EXPECT_EQ(read("", {"name=2024"}).name, "2024");
  EXPECT_EQ(read("", {"name=a=b"}).name, "a=b");
  EXPECT_EQ(read("", {"list=[1, 2]"}).list, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(read("", {"inner={flag = true}"}).inner.flag, true);
  EXPECT_EQ(read("", {"name=1\ncount = 2"}).count, 8);
}

TEST(Override, ReachesElementsOfListsOfFilesAndOfDefaults) {
  EXPECT_EQ(read("list = [1, 2]", {"list.1=5", "list.2=7"}).list,
            (std::vector<std::int64_t>{1, 5, 7}));
  EXPECT_EQ(read("", {"axes.0=model"}).axes, OneOrMore<std::string>{"model"});
  EXPECT_EQ(read("[[inners]]\nsmall = 1\n", {"inners.0.flag=true"}).inners.at(0).small, 1);
}

TEST(Override, ALaterOneWins) {
  EXPECT_EQ(read("", {"count=2", "count=3"}).count, 3);
}

TEST(Override, ANewTypeReplacesWhateverTheOrder) {
  const std::string base = "[schedule]\ntype = \"cosine\"\npeak = 2\n";
  for (const auto& words : {std::vector<std::string>{"schedule.type=constant", "schedule.value=1"},
                            std::vector<std::string>{"schedule.value=1", "schedule.type=constant"}})
    EXPECT_EQ(std::get<Constant>(read(base, words).schedule).value, 1.0);
  EXPECT_EQ(std::get<Cosine>(read(base, {"schedule.total_steps=7"}).schedule).peak, 2.0);
}

TEST(Override, ATypeReplacesAListThatMayBeWrittenAsOneTable) {
  const std::vector<std::string> words = {"stages.type=cosine", "stages.peak=2"};
  const std::string of_files[] = {"", "stages = [0.5, 1]",
                                  "[[stages]]\ntype = \"constant\"\nvalue = 3",
                                  "[stages]\ntype = \"constant\"\nvalue = 3"};
  for (const std::string& base : of_files) {
    const Everything value = read(base, words);
    ASSERT_EQ(value.stages.size(), 1U) << base;
    EXPECT_EQ(std::get<Cosine>(value.stages[0]).peak, 2.0) << base;
  }
  EXPECT_EQ(
      std::get<Constant>(read("", {"phases.type=constant", "phases.value=5"}).phases->at(0)).value,
      5.0);
}

TEST(Override, QuotedPartsMayHaveDots) {
  EXPECT_EQ(read("", {"rules.\"a.b\"=fsdp"}).rules.count("a.b"), 1U);
}

}  // namespace
}  // namespace meshwright::config
