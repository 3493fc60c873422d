// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/init_state_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/config/config.h"
#include "meshwright/train/step/state_testutil.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InitStateConfigTest : public testing::Test {
 protected:
  InitStateConfigTest() {
    checkpoint::Contents contents{.step = 3};
    add(contents, "model/vit/w", numbers({1, 2, 3}));
    add(contents, "model/vit/pos", numbers({4, 5, 6}));
    add(contents, "learner/ema/vit/w", numbers({7, 8, 9}));
    add(contents, "learner/ema/vit/pos", numbers({10, 11, 12}));
    checkpoint::Manager manager({.folder = folder_.path() / "checkpoints"});
    manager.save(contents);
    manager.wait();
  }
  static void add(checkpoint::Contents& contents, const std::string& path, const HostTensor& x) {
    contents.arrays[path] = checkpoint::ArrayParts{x.type(), {{whole_ranges(x.dims()), x}}};
  }
  InitStateConfig parse(const std::string& text) const {
    return config::from_toml<InitStateConfig>(
        str("from = '", folder_.path().string(), "'\n", text));
  }
  static BuildState target() {
    return state_specs({{"learner/count", {s32, {}}},
                        {"model/encoder/w", {f32, {3}}},
                        {"model/encoder/pos", {f32, {2}}},
                        {"model/head/w", {f32, {4}}}});
  }

  io::TemporaryFolder folder_;
  ScopedLogHandler silent_{[](Severity, std::string_view) {}};
};

TEST_F(InitStateConfigTest, ScopesPositionsAndAverages) {
  BuildState built = state_builder(parse(R"toml(
use_ema = true
scopes.encoder = "vit"
positions = [{params = "encoder/pos", strategy = "truncate_left"}]
)toml"))
                         .build(target());
  EXPECT_THAT(built_paths(built), ElementsAre("model/encoder/pos", "model/encoder/w"));
  EXPECT_THAT(value_of(built, "model/encoder/w"), ElementsAre(7, 8, 9));
  EXPECT_THAT(value_of(built, "model/encoder/pos"), ElementsAre(11, 12));
}

TEST_F(InitStateConfigTest, NamesWithGroupsAndSomeThatAreNotRestored) {
  BuildState built = state_builder(parse(R"toml(
names = [{params = "encoder/pos"}, {params = "encoder/(.*)", from = 'vit/\1'}, {params = "head/.*"}]
)toml"))
                         .build(target());
  EXPECT_THAT(built_paths(built), ElementsAre("model/encoder/w"));
  EXPECT_THAT(value_of(built, "model/encoder/w"), ElementsAre(1, 2, 3));
}

TEST_F(InitStateConfigTest, AlternativesInAPatternStandBelowTheModel) {
  BuildState built = state_builder(parse(R"toml(
names = [{params = "encoder/pos|head/w"}, {params = "(encoder|none)/(w)", from = 'vit/\2'}]
)toml"))
                         .build(target());
  EXPECT_THAT(value_of(built, "model/encoder/w"), ElementsAre(1, 2, 3));
}

TEST_F(InitStateConfigTest, WhatIsLackingIsAnErrorUnlessItMay) {
  EXPECT_THAT(message_of([&] { state_builder(parse("")).build(target()); }),
              HasSubstr("not in the checkpoint: model/encoder/pos, model/encoder/w, model/head/w"));
  BuildState built = state_builder(parse("may_lack = true")).build(target());
  EXPECT_THAT(built_paths(built), testing::IsEmpty());
}

TEST_F(InitStateConfigTest, AllOfAStateIsNotConverted) {
  EXPECT_THAT(message_of([&] { parse("all = true\nuse_ema = true"); }),
              HasSubstr("must not be set together with settings that change the state"));
  EXPECT_THAT(message_of([&] { parse("scopes.a = 'b'\nnames = [{params = 'c'}]"); }),
              HasSubstr("must not be set together with scopes"));
}

}  // namespace
}  // namespace meshwright::train
