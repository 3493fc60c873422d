// SPDX-License-Identifier: Apache-2.0
#include "meshwright/systems/big_vision/big_vision_state.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/systems/big_vision/big_vision.h"

namespace meshwright::systems {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

const std::string kAttention = "Transformer/encoderblock_0/MultiHeadDotProductAttention_0/";

// The state of a small model that Big Vision's Adafactor trains.
struct State {
  explicit State(const models::VitConfig& config, const optim::BigVisionOptions& options)
      : model(config),
        learner({.groups = {big_vision_learner(options, nn::param_specs(model))}}),
        params(big_vision().params(model)) {
    for_each(optim::Learner(learner, nn::param_specs(model)).state_specs(),
             [&](const std::string& path, const ParamSpec& spec) {
               types["learner/" + path] = spec.type;
               paths.push_back("learner/" + path);
             });
    names =
        big_vision().state({.model = model, .params = params, .paths = paths, .learner = learner});
  }

  /// Returns the shape of an array of the first layer in Big Vision.
  Dims foreign_shape(const std::string& name) const {
    for (const auto& [path, array] : names) {
      const ForeignArray row = rows_of(array).front();
      if (row.path != name) continue;
      const Dims& dims = types.at(path).dims;
      return foreign_dims(row, Dims(dims.begin() + 1, dims.end()));
    }
    ADD_FAILURE() << name << " is missing";
    return {};
  }

  models::Vit model;
  optim::LearnerOptions learner;
  ForeignArrays params;
  std::map<std::string, ArrayType> types;
  std::vector<std::string> paths;
  ForeignArrays names;
};

models::VitConfig vit(std::int64_t embed, std::int64_t heads) {
  models::VitConfig out{.height = 12, .width = 12, .patch = 4, .classes = 5};
  out.layers = 1;
  out.embed = embed;
  out.heads = heads;
  out.mlp = 40;
  return out;
}

optim::BigVisionOptions adafactor() {
  optim::BigVisionOptions out;
  out.scaling = optim::BigVisionAdafactorOptions{.min_dim_size_to_factor = 2};
  out.lr = 1;
  out.schedules = {{".*", optim::ScheduleConfig(1.0)}};
  return out;
}

// The shapes of v_row and v_col that optax gives to Big Vision's parameters.
void expect_factors(std::int64_t embed,
                    std::int64_t heads,
                    const std::string& param,
                    const Dims& row,
                    const Dims& column) {
  const State state(vit(embed, heads), adafactor());
  EXPECT_EQ(state.foreign_shape("opt/1/0/0/1/" + kAttention + param), row) << param;
  EXPECT_EQ(state.foreign_shape("opt/1/0/0/2/" + kAttention + param), column) << param;
}

TEST(BigVisionState, FactorsHaveItsShapes) {
  expect_factors(24, 2, "query/kernel", {2, 12}, {24, 2});
  expect_factors(24, 2, "query/bias", {2}, {12});
  expect_factors(24, 2, "out/kernel", {2, 12}, {2, 24});
  expect_factors(24, 2, "key/kernel", {2, 12}, {24, 2});
}

TEST(BigVisionState, FactorsHaveItsShapesIfThereAreMoreHeadsThanTheirWidth) {
  expect_factors(24, 12, "query/kernel", {12, 2}, {24, 2});
  expect_factors(24, 12, "query/bias", {2}, {12});
  expect_factors(24, 12, "out/kernel", {12, 2}, {2, 24});
  expect_factors(24, 12, "key/kernel", {12, 2}, {24, 2});
}

TEST(BigVisionState, FactorsHaveItsShapesWithOneHead) {
  expect_factors(6, 1, "query/kernel", {6, 1}, {1, 6});
  expect_factors(6, 1, "out/kernel", {1, 6}, {1, 6});
}

TEST(BigVisionState, UpdatesAreCountedWhereItsChainHasSchedules) {
  optim::BigVisionOptions options = adafactor();
  options.lr_mults = {{"head/.*", 0.5}};
  options.wd = 1;
  options.wd_mults = {{".*", 1}, {"position", 2}};
  options.schedules = {{"head/bias", {}},
                       {"head/.*", optim::ScheduleConfig(1.0)},
                       {".*", optim::ScheduleConfig(1.0)}};
  const ForeignArray count = State(vit(24, 2), options).names.at("learner/count");
  std::vector<std::string> copies;
  for (const ForeignArray& copy : count.copies)
    copies.push_back(copy.path);
  EXPECT_EQ(count.path, "opt/6/0/0");
  EXPECT_THAT(copies, UnorderedElementsAre("opt/7/0/0", "opt/1/0/0/0", "opt/1/0/2/0"));
}

TEST(BigVisionState, OtherOptimizersKeepTheirSlots) {
  const models::Vit model(vit(24, 2));
  const ForeignArrays params = big_vision().params(model);
  const std::vector<std::string> paths = {"learner/count", "learner/optimizer/adam/mu/head/bias",
                                          "model/head/bias"};
  const optim::LearnerOptions learner;
  std::vector<std::string> named;
  for (const auto& [path, array] :
       big_vision().state({.model = model, .params = params, .paths = paths, .learner = learner}))
    named.push_back(path);
  EXPECT_THAT(named, ElementsAre("model/head/bias"));
}

}  // namespace
}  // namespace meshwright::systems
