// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/preset.h"

#include <string>

#include <gtest/gtest.h>

#include "meshwright/cli/run_config.h"
#include "meshwright/config/config.h"
#include "meshwright/systems/list/all_systems.h"

namespace meshwright::cli {
namespace {

RunConfig loaded(const std::string& text) {
  return with_preset(config::from_toml<RunConfig>(R"(
task = { type = "lm", model = { vocab = 12 } }
data = { type = "arithmetic", batch_size = 8 }
optimizer = { type = "adamw", learning_rate = 1e-3 }
)" + text + R"(
[evaluators.held_out]
method = "loss"
data = { type = "held_out_arithmetic", batch_size = 8 }
[evaluators.often]
method = "loss"
when = { type = "every_n", n = 7 }
data = { type = "held_out_arithmetic", batch_size = 8 }
)"));
}

std::int64_t first_n(const train::When& when) {
  return std::get<train::EveryN>(when.at(0)).n;
}

TEST(Preset, WithoutOneThereAreTheTrainersDefaults) {
  RunConfig config = loaded("");
  EXPECT_EQ(first_n(config.train.loop.log.value()), 100);
  EXPECT_EQ(first_n(config.train.checkpoint.when.value()), 1000);
  EXPECT_EQ(first_n(config.train.evaluators.at("held_out").when.value()), 1000);
  EXPECT_EQ(config.train.loop.order.boundary.value(), train::default_preset().loop.order.boundary);
}

TEST(Preset, GivesOrderAndPeriods) {
  RunConfig config = loaded(R"(preset = { name = "t5x", log = 20, save = 500, eval = 250 })");
  EXPECT_EQ(config.train.loop.order.boundary,
            systems::system_named("t5x").preset({}).loop.order.boundary);
  EXPECT_EQ(config.train.loop.order.start,
            systems::system_named("t5x").preset({}).loop.order.start);
  EXPECT_EQ(first_n(config.train.loop.log.value()), 20);
  EXPECT_TRUE(std::get<train::EveryN>(config.train.loop.log->at(0)).from_start);
  EXPECT_EQ(first_n(config.train.checkpoint.when.value()), 500);
  EXPECT_EQ(first_n(config.train.evaluators.at("held_out").when.value()), 250);
}

TEST(Preset, WhatTheConfigSaysWins) {
  RunConfig config = loaded(R"(
preset = { name = "seqax", save = 500 }
log = { type = "every_n", n = 3 }
trace = { start_steps = [40] }
order = { boundary = ["log", "stop"] }
)");
  EXPECT_EQ(first_n(config.train.loop.log.value()), 3);
  EXPECT_EQ(first_n(config.train.checkpoint.when.value()), 500);
  EXPECT_EQ(first_n(config.train.evaluators.at("often").when.value()), 7);
  EXPECT_EQ(config.train.loop.trace.start_steps, std::vector<std::int64_t>{40});
  EXPECT_EQ(config.train.loop.order.boundary->size(), 2U);
  EXPECT_EQ(loaded(R"(preset = { name = "seqax" })").train.loop.trace.start_steps,
            std::vector<std::int64_t>{1});
}

// The config that a run writes into its folder describes the same run.
TEST(Preset, TheResolvedConfigIsComplete) {
  RunConfig config = loaded(R"(preset = { name = "big_vision" })");
  const std::string text = config::to_toml(config);
  EXPECT_EQ(config::to_toml(with_preset(config::from_toml<RunConfig>(text))), text);
}

TEST(Preset, AnUnknownNameIsRefused) {
  EXPECT_THROW(loaded(R"(preset = { name = "t5" })"), Error);
}

}  // namespace
}  // namespace meshwright::cli
