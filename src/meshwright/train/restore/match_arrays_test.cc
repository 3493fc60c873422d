// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/restore/match_arrays.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/error.h"

namespace meshwright::train {
namespace {

using checkpoint::Match;
using checkpoint::Stored;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

using Types = std::vector<std::pair<std::string, ArrayType>>;

Stored stored(const Types& types) {
  Stored out{.step = 7};
  for (const auto& [path, type] : types)
    out.arrays[path] = checkpoint::stored_value(HostTensor(type));
  return out;
}

Tree<ArrayType> restored(const Types& there, const Types& here, const RestoreConfig& config = {}) {
  StateLayout layout;
  for (const auto& [path, type] : here)
    layout.specs[path] = ParamSpec{.type = type};
  auto initial = [](const Tree<HostTensor>&) -> State {
    throw std::logic_error("needs no new state");
  };
  return map(arrays_to_restore(stored(there), layout, config, initial),
             [](const checkpoint::StoredArray& array) { return array.type(); });
}

std::string refusal(const Types& there, const Types& here, const RestoreConfig& config = {}) {
  try {
    restored(there, here, config);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "none";
}

const Types kTwo = {{"learner/mu", {f32, {3}}}, {"model/w", {f32, {3}}}};

TEST(ArraysToRestore, AreThoseOfTheCheckpointIfItIsWhatTheRunKeeps) {
  EXPECT_EQ(restored(kTwo, kTwo).num_leaves(), 2U);
  EXPECT_EQ(restored(kTwo, kTwo, {.missing = OnMissing::initialize}).num_leaves(), 2U);
}

TEST(ArraysToRestore, MayHaveBeenSavedInAnotherDtype) {
  const Types narrow = {{"learner/mu", {f32, {3}}}, {"model/w", {bf16, {3}}}};
  RestoreConfig config;
  config.params_dtype = bf16;
  EXPECT_EQ(restored(narrow, kTwo, config).at("model/w").value(), (ArrayType{f32, {3}}));
  EXPECT_EQ(restored(kTwo, kTwo, config).at("model/w").value(), (ArrayType{f32, {3}}));
  EXPECT_THAT(refusal(narrow, kTwo), HasSubstr("restore_match = exact_up_to_dtype"));
  const Types slot = {{"learner/mu", {bf16, {3}}}, {"model/w", {f32, {3}}}};
  EXPECT_THAT(refusal(slot, kTwo, config), HasSubstr("learner/mu"));
}

TEST(ArraysToRestore, TellAllThatDiffersAndWhatWouldMakeItDo) {
  const Types narrow = {{"learner/mu", {bf16, {3}}}, {"model/w", {f32, {3}}}};
  EXPECT_THAT(refusal(kTwo, narrow),
              AllOf(HasSubstr("the checkpoint of step 7 (-)"), HasSubstr("- learner/mu f32[3]"),
                    HasSubstr("+ learner/mu bf16[3]"),
                    HasSubstr("\nto continue anyway: "
                              "checkpoint.restore_match = exact_up_to_dtype")));
  const Types one = {{"model/w", {f32, {3}}}};
  EXPECT_THAT(refusal(kTwo, one), EndsWith("checkpoint.restore_match = contains"));
  EXPECT_THAT(refusal(one, kTwo), EndsWith("checkpoint.restore_missing = initialize"));
  EXPECT_THAT(
      refusal(one, {{"learner/mu", {f32, {3}}}}),
      EndsWith("checkpoint.restore_match = contains, checkpoint.restore_missing = initialize"));
}

TEST(ArraysToRestore, OfAnotherSizeAreRefusedWhateverIsSet) {
  const Types longer = {{"model/w", {f32, {4}}}};
  const RestoreConfig lax{.match = Match::contains_up_to_dtype, .missing = OnMissing::initialize};
  EXPECT_THAT(refusal(kTwo, longer, lax),
              AllOf(Not(HasSubstr("to continue anyway")), HasSubstr("to start from scratch")));
}

TEST(ArraysToRestore, HaveTheDTypesAndNamesOfTheRun) {
  const Types narrow = {{"model/w", {bf16, {3}}}};
  const auto types = restored(kTwo, narrow, {.match = Match::contains_up_to_dtype});
  EXPECT_EQ(types.num_leaves(), 1U);
  EXPECT_EQ(types.at("model/w").value(), (ArrayType{bf16, {3}}));
}

TEST(ArraysToRestore, NameTheKeysThatChangedInsteadOfEveryArray) {
  StateLayout layout;
  Types there;
  for (int i = 0; i < 54; ++i) {
    const std::string path = str("model/layer_", i);
    there.push_back({path, {f32, {2}}});
    layout.specs[path] = ParamSpec{.type = {f32, {4}}};
  }
  const std::vector<ConfigChange> changes = {
      {.key = "task.model.layers", .before = "2", .now = "4"}};
  std::string text;
  try {
    check_arrays_suit(stored(there), layout, {}, changes);
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_THAT(text, HasSubstr("since the checkpoint of step 7:\n"
                              "  task.model.layers: 2 before, 4 now\n"));
  EXPECT_THAT(text, HasSubstr("more lines"));
  EXPECT_LT(std::ranges::count(text, '\n'), 12);
}

TEST(ArraysToRestore, ShowThoseOfTheModelFirst) {
  Types there, here;
  for (const char* path : {"learner/a", "learner/b", "learner/c", "learner/d", "model/w"}) {
    there.push_back({path, {f32, {2}}});
    here.push_back({path, {f32, {4}}});
  }
  EXPECT_THAT(refusal(there, here), HasSubstr("(+):\n  - model/w f32[2]\n  + model/w f32[4]\n"));
}

}  // namespace
}  // namespace meshwright::train
