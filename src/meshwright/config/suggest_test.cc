// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/suggest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/config/config_testutil.h"

namespace meshwright::config {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

std::vector<std::string> texts(const std::vector<Suggestion>& suggestions) {
  std::vector<std::string> out;
  for (const Suggestion& suggestion : suggestions)
    out.push_back(suggestion.text);
  return out;
}

std::vector<std::string> overrides(const std::string& typed) {
  return texts(suggest_overrides(type_of<Everything>(), typed));
}

/// With the config that `text` is.
std::vector<std::string> overrides_in(const std::string& text, const std::string& typed) {
  auto everything = from_toml<Everything>("name = \"x\"\n" + text);
  const Node resolved = write_object(type_of<Everything>(), &everything);
  return texts(suggest_overrides(type_of<Everything>(), typed, &resolved));
}

TEST(SuggestOverrides, CompletesKeysOfTheTopLevel) {
  EXPECT_THAT(overrides("co"), ElementsAre("count=", "color="));
  EXPECT_THAT(overrides("ex"), ElementsAre("extra."));
  EXPECT_EQ(suggest_overrides(type_of<Everything>(), "rat")[0].help, "how fast");
  EXPECT_THAT(overrides(""), Contains("name="));
}

TEST(SuggestOverrides, CompletesKeysOfTablesOneLevelAtATime) {
  EXPECT_THAT(overrides("inner."),
              ElementsAre("inner.flag=", "inner.ratio=", "inner.small=", "inner.numbers="));
  EXPECT_THAT(overrides("extra.r"), ElementsAre("extra.ratio="));
  EXPECT_THAT(overrides("inner.nothing"), IsEmpty());
  EXPECT_THAT(overrides("nothing.x"), IsEmpty());
  EXPECT_THAT(overrides("count.x"), IsEmpty());
}

TEST(SuggestOverrides, CompletesValuesOfClosedSets) {
  EXPECT_THAT(overrides("color="), ElementsAre("color=red", "color=green", "color=dark_blue"));
  EXPECT_THAT(overrides("color=g"), ElementsAre("color=green"));
  EXPECT_THAT(overrides("inner.flag="), ElementsAre("inner.flag=true", "inner.flag=false"));
  EXPECT_THAT(overrides("mode="), ElementsAre("mode=fast", "mode=exact"));
  EXPECT_THAT(overrides("limit="), ElementsAre("limit=none"));
  EXPECT_THAT(overrides("size="), ElementsAre("size=auto"));
  EXPECT_THAT(overrides("count="), IsEmpty());
}

TEST(SuggestOverrides, OffersTheKeysOfEveryAlternativeUnlessOneIsChosen) {
  EXPECT_THAT(overrides("schedule"),
              ElementsAre("schedules.", "schedule=", "schedule."));  // a number or a table
  EXPECT_THAT(
      overrides("schedule.type="),
      ElementsAre("schedule.type=constant", "schedule.type=cosine", "schedule.type=joined"));
  EXPECT_THAT(
      overrides("schedule."),
      ElementsAre("schedule.type=", "schedule.value=", "schedule.peak=", "schedule.warmup_steps=",
                  "schedule.total_steps=", "schedule.parts=", "schedule.parts."));
  EXPECT_THAT(overrides_in("schedule = { type = \"constant\", value = 1 }", "schedule."),
              ElementsAre("schedule.type=", "schedule.value="));
}

TEST(SuggestOverrides, KnowsTheNamesAndPositionsInTheConfig) {
  EXPECT_THAT(overrides_in("", "rules."), ElementsAre("rules.vocab="));
  EXPECT_THAT(overrides_in("inners = [{}, {}]", "inners."), ElementsAre("inners.0.", "inners.1."));
  EXPECT_THAT(overrides("inners.0.f"), ElementsAre("inners.0.flag="));
  EXPECT_THAT(overrides("schedules.mine.ty"), ElementsAre("schedules.mine.type="));
  EXPECT_THAT(overrides("stages.type=jo"), ElementsAre("stages.type=joined"));
}

TEST(SuggestKeys, AreWithoutValues) {
  const auto keys = texts(suggest_keys(type_of<Everything>(), "inner."));
  EXPECT_THAT(keys, Contains("inner.flag"));
  EXPECT_THAT(texts(suggest_keys(type_of<Everything>(), "in")), ElementsAre("inner.", "inners."));
  EXPECT_THAT(keys, Not(Contains("inner.flag=")));
}

}  // namespace
}  // namespace meshwright::config
