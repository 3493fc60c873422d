// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/foreign/state_folders.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::map<std::string, std::string> names_of(const ForeignArrays& params,
                                            const std::vector<std::string>& paths) {
  const StateFolders folders{.params = "weights", .slots = {{"mu", "adam_mu"}}};
  std::map<std::string, std::string> out;
  for (const auto& [path, array] : arrays_in(folders, params, paths))
    out[path] = array.path;
  return out;
}

TEST(StateFolders, NameParametersAndSlots) {
  EXPECT_THAT(
      names_of({{"a/w", {.path = "x"}}}, {"model/a/w", "learner/optimizer/0/mu/a/w"}),
      ElementsAre(Pair("learner/optimizer/0/mu/a/w", "adam_mu/x"), Pair("model/a/w", "weights/x")));
}

TEST(StateFolders, NameNothingElse) {
  EXPECT_THAT(names_of({{"w", {.path = "x"}}},
                       {"model/v", "model/a/w", "learner/nu/w", "learner/count", "other/mu/w"}),
              ElementsAre());
}

TEST(StateFolders, FindASlotWhoseNameOccursInTheParameter) {
  EXPECT_THAT(names_of({{"mu/w", {.path = "x"}}}, {"learner/mu/mu/w"}),
              ElementsAre(Pair("learner/mu/mu/w", "adam_mu/x")));
  EXPECT_THAT(names_of({{"w", {.path = "x"}}}, {"learner/mu/mu/w"}),
              ElementsAre(Pair("learner/mu/mu/w", "adam_mu/x")));
}

TEST(StateFolders, KeepTheLayoutOfTheParameter) {
  const ForeignArrays params = {{"w", {.path = "x", .order = {1, 0}}}};
  const ForeignArrays found = arrays_in({.params = "weights"}, params, {"model/w"});
  EXPECT_EQ(found.at("model/w").order, (std::vector<std::size_t>{1, 0}));
}

}  // namespace
}  // namespace meshwright::train
