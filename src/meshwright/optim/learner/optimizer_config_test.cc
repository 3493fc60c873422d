// SPDX-License-Identifier: Apache-2.0
// Compares the programs that configs and the equivalent C++ calls trace.
#include "meshwright/optim/learner/optimizer_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/base_testutil.h"
#include "meshwright/graph/text/writer.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/optim/learner/big_vision.h"
#include "meshwright/optim/learner/learner_testutil.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/optim/optimizers/t5x_adafactor.h"
#include "meshwright/optim/transforms/adam_moments.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/optim/transforms/skip.h"

namespace meshwright::optim {
namespace {

using ::testing::HasSubstr;

Learner read(const std::string& toml) {
  return learner_from("[optimizer]\n" + toml);
}

Learner with_group(LearnerGroup group) {
  LearnerOptions options;
  options.groups.push_back(std::move(group));
  return Learner(options, example_specs());
}

// The program of one update.
std::string program_of(const Learner& learner) {
  graph::Tracer tracer;
  auto arguments = [&](const ParamSpecs& specs) {
    return map(specs, [&](const ParamSpec& spec) { return tracer.argument(spec.type); });
  };
  ValueTree params = arguments(learner.param_specs());
  ValueTree gradients = arguments(learner.with_gradient(learner.param_specs()));
  ValueTree state = arguments(learner.state_specs());
  Learner::Updated updated = learner.update(gradients, params, state);
  std::vector<Value> results = leaves(updated.params);
  for (Value value : leaves(updated.state))
    results.push_back(value);
  return graph::write_stablehlo(tracer.finish(std::move(results)));
}

TEST(OptimizerConfig, MakesBigVisionsChain) {
  Learner from_config = read(R"(
type = "big_vision"
scaling = { type = "adam", mu_dtype = "bf16" }
lr = 0.05
grad_clip_norm = 1.0
lr_mults = [{ params = "decoder/w_.*", scale = 0.5 }]
wd = 0.01
wd_mults = [{ params = ".*/w_in", scale = 1.0 }, { params = ".*/w_[a-z]+", scale = 0.5 }]
schedules = [{ params = ".*norm", schedule = "none" }, { params = ".*", schedule = 0.25 }]
)");
  BigVisionOptions options{
      .scaling = BigVisionAdam{{.mu_dtype = bf16}},
      .lr = 0.05,
      .grad_clip_norm = 1.0,
      .lr_mults = {{"decoder/w_.*", 0.5}},
      .wd = 0.01,
      .wd_mults = {{".*/w_in", 1.0}, {".*/w_[a-z]+", 0.5}},
      .schedules = {{".*norm", std::nullopt}, {".*", constant(0.25)}},
  };
  EXPECT_FALSE(from_config.needs_gradient("decoder/norm"));
  EXPECT_EQ(program_of(from_config),
            program_of(with_group(big_vision_learner(options, example_specs()))));
}

TEST(OptimizerConfig, ReadsEveryScalingOfBigVision) {
  for (const char* scaling : {"adam", "adafactor", "momentum", "lion", "sgd"}) {
    std::string toml = str("type='big_vision'\nlr=1\nschedules=[{params='.*', schedule=1.0}]\n",
                           "scaling={type='", scaling, "'}\n");
    EXPECT_EQ(message_of([&] { program_of(read(toml)); }), "no error") << scaling;
  }
}

// Errors name the key and come before tracing.
TEST(OptimizerConfig, NumbersThatMakeNoSenseAreRefused) {
  const std::string adamw = "type='adamw'\n";
  const std::string rate = "learning_rate=0.1\n";
  const std::pair<std::string, const char*> mistakes[] = {
      {adamw + "learning_rate=-0.1\n", "optimizer.learning_rate is -0.1, but must be at least 0"},
      {adamw + "learning_rate={type='polynomial', begin_value=1, end_value=-1}\n",
       "end_value is -1, but must be at least 0"},
      {adamw + "learning_rate={type='stepwise', schedules=[0.1, -0.1], starts=[5]}\n",
       "schedules.1 is -0.1, but must be at least 0"},
      {adamw + rate + "b1=1.0\n", "b1 is 1.0, but must be at least 0 and below 1"},
      {adamw + rate + "b2=-0.1\n", "b2 is -0.1, but must be"},
      {adamw + rate + "weight_decay=-1\n", "weight_decay is -1, but must be at least 0"},
      {adamw + rate + "learning_rate_rules=[{params='.*', scale=-1}]\n",
       "scale is -1, but must be at least 0"},
      {adamw + rate + "eps=-1e-8\n", "eps is -1e-08, but must be at least 0"},
      {adamw + rate + "clip_norm=0\n", "clip_norm is 0, but must be positive"},
      {adamw + rate + "[learner]\nema={decay=1.5}\n", "decay is 1.5, but must be"}};
  for (const auto& [toml, message] : mistakes)
    EXPECT_THAT(message_of([&, &text = toml] { read(text); }), HasSubstr(message));
}

TEST(OptimizerConfig, BigVisionsPatternsMustDecideAboutSomething) {
  const std::string plain = "type='big_vision'\nlr=1\nscaling={type='sgd'}\n";
  const std::string all = "schedules=[{params='.*', schedule=1.0}]\n";
  EXPECT_THAT(message_of([&] { read(plain + all + "wd=0.1\n"); }),
              HasSubstr("wd_mults: the pattern '.*/kernel$' applies to no parameter"));
  EXPECT_THAT(message_of([&] { read(plain + all + "lr_mults=[{params='x', scale=2}]\n"); }),
              HasSubstr("lr_mults: the pattern 'x'"));
  EXPECT_THAT(message_of([&] { read(plain + "schedules=[{params='scale', schedule=1.0}]\n"); }),
              HasSubstr("these parameters match no schedule: decoder/bias"));
  EXPECT_THAT(message_of([&] {
                read(plain + all + "[learner]\nupdate_rules=[{params='.*', update='no_update'}]\n");
              }),
              HasSubstr("update_rules are for other optimizers"));
}

TEST(OptimizerConfig, AGroupOfBigVisionsAnswersForItsOwnParametersOnly) {
  Learner learner = read(R"(
type = "sgd"
learning_rate = 0.1
[learner]
rules = [{ params = "decoder/.*", group = "decoder" }, { params = ".*", group = "default" }]
[learner.groups.decoder.optimizer]
type = "big_vision"
scaling = { type = "sgd" }
lr = 1.0
schedules = [{ params = "decoder/.*", schedule = 1.0 }]
)");
  EXPECT_TRUE(learner.needs_gradient("decoder/w_in"));
}

TEST(OptimizerConfig, SkipsWhatIsTooLarge) {
  Learner from_config = read(R"(
type = "sgd"
learning_rate = 0.1
clip_norm = 1.0
drop_norm = 10.0
[optimizer.skip.adaptive]
decay = 0.9
multipliers = [5, 50]
stddev_after = 100
)");
  Transform inner = chain({sgd({.learning_rate = constant(0.1)}), scale_per_param({})});
  Transform skipping =
      skip_and_clip(inner, {.max_norm = 1.0, .drop_norm = 10.0},
                    {AdaptiveDrop{.decay = 0.9, .multipliers = {5, 50}, .stddev_after = 100}});
  EXPECT_EQ(program_of(from_config), program_of(with_group({.name = "", .optimizer = skipping})));
  EXPECT_NE(from_config.state_specs().find("optimizer/nonvalid_count"), nullptr);
}

TEST(OptimizerConfig, T5xScalesParametersByRules) {
  const std::string plain = "type='t5x_adafactor'\nlearning_rate=0.1\nfactored=false\n";
  Learner by_rules = read(plain + "parameter_scale_rules=[{params='w_', multiply=false}]\n");
  Transform expected = t5x_adafactor({.learning_rate = constant(0.1),
                                      .factored = false,
                                      .parameter_scale_rules = {{"w_", false}}});
  // Clipping without a limit and factors of 1 change no value.
  EXPECT_EQ(program_of(by_rules),
            program_of(with_group(
                {.name = "",
                 .optimizer = chain({clip_by_global_norm({.max_norm = {}, .drop_norm = {}}),
                                     expected, scale_per_param({})})})));
  EXPECT_NE(program_of(by_rules), program_of(read(plain)));
}

}  // namespace
}  // namespace meshwright::optim
