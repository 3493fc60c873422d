// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/optim_testutil.h"
#include "meshwright/optim/transforms/scale.h"

namespace meshwright::optim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Transform small_adamw() {
  return adamw({.learning_rate = constant(0.1)});
}

std::vector<std::string> paths(const ParamSpecs& specs) {
  std::vector<std::string> out;
  for_each(specs, [&](const std::string& path, const ParamSpec&) { out.push_back(path); });
  return out;
}

ParamSpecs two_params() {
  ParamSpecs out;
  out["w"] = spec_of({4, 8}, "embed mlp");
  out["b"] = spec_of({8}, "mlp");
  return out;
}

TEST(Learner, PublishesSlotsWithTheAxesOfTheirParameters) {
  Learner learner(learn_by(small_adamw()), two_params());
  ParamSpecs state = learner.state_specs();
  EXPECT_THAT(paths(state), ElementsAre("count", "optimizer/adam/mu/b", "optimizer/adam/mu/w",
                                        "optimizer/adam/nu/b", "optimizer/adam/nu/w"));
  EXPECT_THAT(state.at("optimizer/adam/nu/w").value().axes, ElementsAre("embed", "mlp"));
  EXPECT_EQ(state.at("count").value().type, (ArrayType{s32, {}}));
}

TEST(Learner, KeepsSlotsInTheDtypeAskedFor) {
  AdamWOptions options{.learning_rate = constant(0.1), .adam = {.mu_dtype = bf16}};
  Learner learner(learn_by(adamw(options)), two_params());
  EXPECT_EQ(learner.state_specs().at("optimizer/adam/mu/w").value().type.dtype, bf16);
  EXPECT_EQ(learner.state_specs().at("optimizer/adam/nu/w").value().type.dtype, f32);
}

TEST(Learner, AppliesTheFirstRuleThatMatchesTheWholePath) {
  LearnerOptions options = learn_by(small_adamw());
  options.groups[0].update_rules = PathRules<UpdateType>{
      {"decoder/w_.*", UpdateType::optimizers},
      {"decoder/.*", UpdateType::no_update},
      {"norm", UpdateType::no_update},
  };
  Learner learner(options, example_specs());
  EXPECT_EQ(learner.update_type("decoder/w_in"), UpdateType::optimizers);
  EXPECT_EQ(learner.update_type("decoder/norm"), UpdateType::no_update);
  EXPECT_EQ(learner.update_type("scale"), UpdateType::all_updates);
  EXPECT_TRUE(learner.needs_gradient("decoder/w_in"));
  EXPECT_FALSE(learner.needs_gradient("decoder/bias"));
  EXPECT_THAT(paths(learner.with_gradient(example_specs())),
              ElementsAre("decoder/w_in", "decoder/w_out", "scale"));
  EXPECT_THAT(learner.warnings(), ElementsAre(HasSubstr("'norm' applies to no parameter")));
}

TEST(Learner, KeepsNoSlotsForParametersThatOnlyTheForwardPassChanges) {
  LearnerOptions options = learn_by(small_adamw());
  options.groups[0].update_rules = PathRules<UpdateType>{{"b", UpdateType::state_updates}};
  Learner learner(options, two_params());
  EXPECT_FALSE(learner.needs_gradient("b"));
  EXPECT_THAT(paths(learner.state_specs()),
              ElementsAre("count", "optimizer/adam/mu/w", "optimizer/adam/nu/w"));
}

TEST(Learner, ComputesNoGradientForIntegers) {
  ParamSpecs specs = two_params();
  specs["steps"] = ParamSpec{.type = {s32, {}}};
  Learner learner(learn_by(small_adamw()), specs);
  EXPECT_FALSE(learner.needs_gradient("steps"));
}

TEST(Learner, GivesGroupsTheirOwnPartOfTheState) {
  LearnerOptions options;
  options.groups = {{"matrices", small_adamw()}, {"rest", scale(-0.1)}};
  options.group_rules = PathRules<std::string>{{"w", "matrices"}, {".*", "rest"}};
  Learner learner(options, two_params());
  EXPECT_THAT(paths(learner.state_specs()),
              ElementsAre("count", "matrices/optimizer/adam/mu/w", "matrices/optimizer/adam/nu/w"));
}

TEST(Learner, NamesAllParametersThatNoGroupTakes) {
  LearnerOptions options;
  options.groups = {{"encoder", identity()}, {"decoder", identity()}};
  options.group_rules = PathRules<std::string>{{"encoder/.*", "encoder"}};
  std::string message = message_of([&] { Learner(options, two_params()); });
  EXPECT_THAT(message, HasSubstr("no group rule matches these parameters: b, w"));
}

TEST(Learner, RejectsARuleForAGroupThatIsNotThere) {
  LearnerOptions options;
  options.groups = {{"encoder", identity()}, {"decoder", identity()}};
  options.group_rules = PathRules<std::string>{{".*", "decodr"}};
  EXPECT_THAT(message_of([&] { Learner(options, two_params()); }),
              HasSubstr("unknown group 'decodr'; did you mean 'decoder'?"));
}

TEST(Learner, RejectsGroupsThatTheStateCouldNotHold) {
  LearnerOptions options;
  options.groups = {{"ema", identity()}, {"b", identity()}};
  options.group_rules = PathRules<std::string>{{".*", "b"}};
  EXPECT_THAT(message_of([&] { Learner(options, two_params()); }),
              HasSubstr("a group cannot be named 'ema'"));
  options.groups = {{"b", identity()}, {"b", identity()}};
  EXPECT_THAT(message_of([&] { Learner(options, two_params()); }),
              HasSubstr("two groups are named 'b'"));
}

TEST(Learner, KeepsAveragesOfAllParametersIfAsked) {
  LearnerOptions options = learn_by(identity());
  options.ema = EmaOptions{.decay = constant(0.9)};
  Learner learner(options, two_params());
  EXPECT_THAT(paths(learner.state_specs()), ElementsAre("count", "ema/b", "ema/w"));
}

TEST(Chain, NumbersPartsOfTheSameName) {
  Transform twice = chain({scale_by_adam(), scale(2), scale_by_adam()});
  SlotSpecs slots = slot_specs(twice, two_params());
  EXPECT_NE(slots.find("adam/mu/w"), nullptr);
  EXPECT_NE(slots.find("adam_2/mu/w"), nullptr);
}

}  // namespace
}  // namespace meshwright::optim
