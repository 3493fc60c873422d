// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/optim/learner/learner_testutil.h"

namespace meshwright::optim {
namespace {

using ::testing::HasSubstr;

TEST(OptimizerConfig, ReadsEveryTypeByItsName) {
  for (const char* type : {"adamw", "adam", "decoupled_adamw", "sgd", "lion", "lamb", "muon",
                           "axlearn_adafactor", "optax_adafactor", "t5x_adafactor", "adastar"}) {
    std::string toml = str("[optimizer]\ntype = '", type, "'\nlearning_rate = 3e-4\n");
    EXPECT_EQ(message_of([&] { learner_from(toml).state_specs(); }), "no error") << type;
    // Without names for all dimensions nothing can be laid out on a mesh.
    for_each(learner_from(toml).state_specs(), [&](const std::string& path, const ParamSpec& spec) {
      EXPECT_EQ(spec.axes.size(), spec.type.dims.size()) << type << ": " << path;
    });
  }
}

TEST(OptimizerConfig, NamesSlotsTheSameWhateverElseIsSet) {
  const std::string plain = "[optimizer]\ntype = 'adamw'\nlearning_rate = 3e-4\n";
  Learner with_more = learner_from(plain +
                                   "clip_norm = 1.0\nlearning_rate_rules = "
                                   "[{ params = 'scale', scale = 0.5 }]\nweight_decay = 0.1\n");
  EXPECT_EQ(learner_from(plain).state_specs(), with_more.state_specs());
  EXPECT_NE(with_more.state_specs().find("optimizer/adamw/adam/mu/scale"), nullptr);
}

TEST(OptimizerConfig, TakesDtypesOfSlots) {
  Learner learner =
      learner_from("[optimizer]\ntype = 'adamw'\nlearning_rate = 1\nmu_dtype = 'bf16'\n");
  EXPECT_EQ(learner.state_specs().at("optimizer/adamw/adam/mu/scale").value().type.dtype, bf16);
}

TEST(LearnerConfig, ReadsRulesGroupsAndAverages) {
  Learner learner = learner_from(R"(
[optimizer]
type = "adamw"
learning_rate = { type = "warmup_cosine", peak = 0.1, warmup = "1%" }
[learner]
ema = { decay = 0.99, bias_correction = true }
update_rules = [{ params = ".*norm", update = "no_update" }]
rules = [{ params = ".*w_in", group = "plain" }, { params = ".*", group = "default" }]
[learner.groups.plain]
optimizer = { type = "sgd", learning_rate = 0.1, momentum = 0.9 }
)");
  EXPECT_TRUE(learner.has_ema());
  EXPECT_FALSE(learner.needs_gradient("decoder/norm"));
  ParamSpecs state = learner.state_specs();
  EXPECT_NE(state.find("plain/optimizer/sgd/momentum/trace/decoder/w_in"), nullptr);
  EXPECT_NE(state.find("default/optimizer/adamw/adam/nu/decoder/w_out"), nullptr);
  EXPECT_NE(state.find("ema/decoder/norm"), nullptr);
}

TEST(LearnerConfig, SaysWhatIsWrong) {
  EXPECT_THAT(message_of([] { learner_from("[optimizer]\ntype = 'adamv'\nlearning_rate = 1\n"); }),
              HasSubstr("adamw"));
  EXPECT_THAT(message_of([] { learner_from("[optimizer]\ntype = 'adamw'\n"); }),
              HasSubstr("learning_rate"));
  const std::string plain = "[optimizer]\ntype = 'sgd'\nlearning_rate = 1\n[learner]\n";
  EXPECT_THAT(message_of([&] {
                learner_from(plain + "update_rules = [{ params = 'a(', update = 'no_update' }]\n");
              }),
              HasSubstr("a("));
  EXPECT_THAT(
      message_of([&] {
        learner_from(plain +
                     "ema = { decay = { type = 'inverse_sqrt' }, bias_correction = true }\n");
      }),
      HasSubstr("bias_correction requires a constant decay rate"));
}

bool follow_the_steps(const std::string& learning_rate) {
  const auto tables = config::from_toml<LearnerTables>(
      str("optimizer = {type = 'sgd', learning_rate = ", learning_rate, "}\n"));
  return depends_on_total_steps(tables.optimizer, tables.learner, kTestRun, example_specs());
}

TEST(LearnerConfig, KnowsWhetherSchedulesFollowTheNumberOfSteps) {
  EXPECT_FALSE(follow_the_steps("0.1"));
  EXPECT_FALSE(follow_the_steps("{type = 'warmup_cosine', peak = 1, warmup = 5, end = 50}"));
  EXPECT_FALSE(follow_the_steps("{type = 'warmup_constant', peak = 1, warmup = '80 examples'}"));
  EXPECT_TRUE(follow_the_steps("{type = 'warmup_cosine', peak = 1, warmup = 5}"));
  EXPECT_TRUE(follow_the_steps("{type = 'warmup_constant', peak = 1, warmup = '5%'}"));
}

}  // namespace
}  // namespace meshwright::optim
