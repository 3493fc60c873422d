// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/state_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/base/log.h"
#include "meshwright/train/step/state_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class StateBuilderTest : public testing::Test {
  ScopedLogHandler silent_{[](Severity, std::string_view) {}};
};

StateBuilder bias_plus_one() {
  auto build = [](BuildState state) {
    StateArray& bias = state.arrays.at("model/bias").value();
    set_built(bias, numbers({static_cast<float>(bias.value->to_doubles()[0]) + 1}));
    return state;
  };
  return {.name = "bias_plus_one", .needs_values = true, .build = build};
}

const BuildState kLinear = initial_state(
    {{"model/bias", numbers({0})}, {"model/weight", numbers({3})}, {"prng_key", numbers({7, 8})}});

TEST_F(StateBuilderTest, AChainAppliesOneAfterTheOther) {
  StateBuilder both = chain({bias_plus_one(), bias_plus_one()});
  EXPECT_TRUE(both.needs_values);
  BuildState built = both.build(kLinear);
  EXPECT_THAT(value_of(built, "model/bias"), ElementsAre(2));
  EXPECT_THAT(built_paths(built), ElementsAre("model/bias"));
}

TEST_F(StateBuilderTest, AChainThatLosesAnArrayIsRefusedUnlessItMay) {
  StateBuilder pruned = prune({Regex("model/b.*"), Regex("model/w")});
  EXPECT_THAT(message_of([&] { chain({pruned}).build(kLinear); }),
              HasSubstr("'model/bias' is in the state only"));
  EXPECT_THAT(paths(chain({pruned}, /*names_may_change=*/true).build(kLinear)),
              ElementsAre("model/weight", "prng_key"));
}

TEST_F(StateBuilderTest, GivenArraysReplaceSomeOfTheState) {
  Tree<HostTensor> arrays;
  arrays["model/weight"] = numbers({5});
  BuildState built = given(arrays).build(kLinear);
  EXPECT_THAT(built_paths(built), ElementsAre("model/weight"));
  EXPECT_THAT(value_of(built, "model/weight"), ElementsAre(5));
  EXPECT_THAT(value_of(built, "model/bias"), ElementsAre(0));
}

TEST_F(StateBuilderTest, GivenArraysThatDoNotSuitAreAllNamed) {
  Tree<HostTensor> arrays;
  arrays["model/wieght"] = numbers({5});
  arrays["model/bias"] = numbers({5, 6});
  EXPECT_THAT(message_of([&] { given(arrays).build(kLinear); }),
              AllOf(HasSubstr("'model/wieght' is not an array of the state"),
                    HasSubstr("'model/bias': f32[2] and f32[1]")));
}

// Each converter adds a digit on the way to the source and removes it on the way back.
TEST_F(StateBuilderTest, AChainOfConvertersGoesBackInReverseOrder) {
  std::vector<StateConverter> converters;
  for (std::int64_t id = 1; id <= 5; ++id) {
    auto to_source = [id](const BuildState& target) {
      return BuildState{.step = target.step * 10 + id, .arrays = target.arrays};
    };
    auto to_target = [id](const BuildState& source, const BuildState& target) {
      EXPECT_EQ(source.step % 10, id);
      EXPECT_EQ(source.step / 10, target.step);
      return BuildState{.step = source.step / 10, .arrays = source.arrays};
    };
    converters.push_back({.name = "digit", .to_source = to_source, .to_target = to_target});
  }
  std::int64_t source_step = 0;
  auto look = [&](BuildState state) {
    source_step = state.step;
    return state;
  };
  StateBuilder builder =
      restore_and_convert({.name = "look", .build = look}, chain(std::move(converters)));
  EXPECT_EQ(builder.build({.step = 0}).step, 0);
  EXPECT_EQ(source_step, 54321);
}

TEST_F(StateBuilderTest, WhatIsConvertedBackMustBeOfTheTypesOfTheState) {
  auto same = [](const BuildState& target) { return target; };
  auto grown = [](BuildState source, const BuildState&) {
    set_built(source.arrays.at("model/bias").value(), numbers({1, 2}));
    source.arrays["model/more"] = StateArray{};
    return source;
  };
  StateBuilder builder =
      restore_and_convert(given({}), {.name = "grow", .to_source = same, .to_target = grown});
  EXPECT_THAT(message_of([&] { builder.build(kLinear); }),
              AllOf(HasSubstr("'model/bias': f32[1] and f32[2]"),
                    HasSubstr("'model/more' is in the built state only")));
}

TEST_F(StateBuilderTest, NothingIsBuiltByNothing) {
  EXPECT_THAT(built_paths(given({}).build(kLinear)), IsEmpty());
}

}  // namespace
}  // namespace meshwright::train
