// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/earlier_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log_testutil.h"
#include "meshwright/config/config.h"
#include "meshwright/train/report/sink_config.h"

namespace meshwright::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A config that has sinks only.
struct SinksOnly {
  train::SinkConfigs sinks = train::default_sinks();
  void fields(auto& f) { f.optional("sinks", sinks, "Where metrics go."); }
};

train::SinkConfigs sinks_of(const std::string& toml) {
  config::Node tree =
      config::parse_toml(std::make_shared<const config::Source>(config::Source{"run.toml", toml}));
  replace_earlier_keys(tree);
  return config::from_tree<SinksOnly>(tree).sinks;
}

TEST(EarlierKeys, WandbIsASinkBesideTheDefaults) {
  CapturedLog log;
  train::SinkConfigs expected = train::default_sinks();
  expected.emplace_back(train::WandbSinkConfig());
  EXPECT_EQ(sinks_of("wandb = true"), expected);
  EXPECT_THAT(log.text(), HasSubstr("[[sinks]] type = \"wandb\""));
}

TEST(EarlierKeys, WandbJoinsTheSinksThatAreThere) {
  CapturedLog log;
  const train::SinkConfigs both = {train::JsonlSinkConfig(), train::WandbSinkConfig()};
  EXPECT_EQ(sinks_of("wandb = true\nsinks = [{type = \"jsonl\"}]"), both);
  EXPECT_EQ(sinks_of("wandb = true\nsinks = [{type = \"jsonl\"}, {type = \"wandb\"}]"), both);
}

TEST(EarlierKeys, WandbThatIsOffChangesNothingAndWarnsOfNothing) {
  CapturedLog log;
  EXPECT_EQ(sinks_of("wandb = false"), train::default_sinks());
  EXPECT_THAT(log.text(), IsEmpty());
}

TEST(EarlierKeys, AnotherTypeIsAnUnknownKey) {
  EXPECT_THROW(sinks_of("wandb = \"yes\""), Error);
}

TEST(Sinks, AreNamedOnceEach) {
  EXPECT_TRUE(train::are_distinct(train::default_sinks()));
  EXPECT_FALSE(train::are_distinct({train::JsonlSinkConfig(), train::JsonlSinkConfig()}));
}

}  // namespace
}  // namespace meshwright::cli
