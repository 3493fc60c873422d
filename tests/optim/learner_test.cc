// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/learner/learner.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/partition.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

using ::testing::ElementsAre;

std::vector<HostTree> random_gradients(const ParamSpecs& specs, std::uint32_t count) {
  std::vector<HostTree> out;
  for (std::uint32_t i = 0; i < count; ++i)
    out.push_back(random_values(specs, 100 + i, 0.1));
  return out;
}

HostTree one_vector(const std::vector<float>& values) {
  HostTree out;
  out["w"] = HostTensor::from(values, {std::ssize(values)});
  return out;
}

ParamSpecs one_vector_spec(std::int64_t size) {
  ParamSpecs out;
  out["w"] = spec_of({size}, "embed");
  return out;
}

std::vector<float> floats(const HostTree& tree, std::string_view path) {
  auto values = tree.at(path).value().values<float>();
  return {values.begin(), values.end()};
}

TEST(Learner, TakesTheSameStepsOnEightDevices) {
  AdamWOptions options{.learning_rate = warmup_cosine({.peak = 0.1, .end = 20, .warmup = 4}),
                       .weight_decay = {0.1}};
  LearnerOptions learning =
      learn_by(chain({clip_by_global_norm({.max_norm = 1.0}), adamw(options)}));
  learning.ema = EmaOptions{.decay = constant(0.9)};
  Learner learner(learning, example_specs());
  HostTree params = random_values(example_specs(), 1);
  std::vector<HostTree> gradients = random_gradients(example_specs(), 5);
  Updates one = run_updates(learner, params, gradients);
  Updates eight = run_updates(learner, params, gradients,
                              {.mesh = mesh::Mesh({{"fsdp", 4}, {"tensor", 2}}),
                               .rules = {{"embed", {"fsdp"}}, {"mlp", {"tensor"}}}});
  EXPECT_TRUE(one.has_call && eight.has_call);
  EXPECT_LT(largest_difference(one.params, eight.params), 1e-6);
  EXPECT_LT(largest_difference(one.state, eight.state), 1e-6);
  EXPECT_GT(largest_difference(one.params, params), 1e-2);
}

TEST(Learner, CountsUpdatesAndReportsThem) {
  AdamWOptions options{.learning_rate = polynomial({.end = 10, .end_value = 1})};
  Learner learner(learn_by(adamw(options)), one_vector_spec(2));
  Updates run = run_updates(learner, one_vector({1, 1}), {one_vector({3, 4}), one_vector({0, 1})});
  EXPECT_EQ(run.summaries[0]["lr_schedule_step"], 1);
  EXPECT_FLOAT_EQ(static_cast<float>(run.summaries[1]["learning_rate"]), 0.2f);
  EXPECT_EQ(run.summaries[0]["gradient_norm"], 5);
  EXPECT_EQ(run.state.at("count").value().to_doubles().front(), 2);
}

TEST(Learner, ReportsSingleParametersIfAsked) {
  LearnerOptions options = learn_by(scale(-1));
  options.variable_summaries = {.rms = true, .grad_norms = {"w"}};
  Updates run =
      run_updates(Learner(options, one_vector_spec(2)), one_vector({1, 7}), {one_vector({3, 4})});
  EXPECT_FLOAT_EQ(static_cast<float>(run.summaries[0]["param_rms/w"]), 5);
  EXPECT_FLOAT_EQ(static_cast<float>(run.summaries[0]["grad_rms/w"]), std::sqrt(12.5f));
  EXPECT_FLOAT_EQ(static_cast<float>(run.summaries[0]["grad_norm/w"]), 5);
}

TEST(Learner, AveragesParametersWithTheNewOnes) {
  LearnerOptions options = learn_by(scale(-1));
  options.ema = EmaOptions{.decay = constant(0.75)};
  Learner learner(options, one_vector_spec(1));
  Updates run = run_updates(learner, one_vector({10}), {one_vector({2}), one_vector({4})});
  // 8 and 4 after the updates: 0.25 * 8 = 2, 0.75 * 2 + 0.25 * 4 = 2.5.
  EXPECT_THAT(floats(run.state, "ema/w"), ElementsAre(2.5f));
}

TEST(Learner, LeavesFrozenParametersAlone) {
  LearnerOptions options = learn_by(adamw({.learning_rate = constant(0.1), .weight_decay = {0.5}}));
  options.groups[0].update_rules = PathRules<UpdateType>{{"decoder/norm", UpdateType::no_update}};
  Learner learner(options, example_specs());
  HostTree params = random_values(example_specs(), 1);
  Updates run = run_updates(learner, params, random_gradients(example_specs(), 2));
  EXPECT_EQ(floats(run.params, "decoder/norm"), floats(params, "decoder/norm"));
  EXPECT_NE(floats(run.params, "decoder/bias"), floats(params, "decoder/bias"));
}

TEST(Learner, LetsGroupsGoTheirOwnWay) {
  ParamSpecs specs;
  specs["a"] = spec_of({1});
  specs["b"] = spec_of({1});
  LearnerOptions options;
  options.groups = {{"slow", scale(-0.5)},
                    {"fast", chain({clip_by_global_norm({.max_norm = 1.0}), scale(-1)})}};
  options.group_rules = PathRules<std::string>{{"a", "slow"}, {".*", "fast"}};
  HostTree params, gradients;
  for (const char* name : {"a", "b"}) {
    params[name] = HostTensor::from(std::vector<float>{1}, {1});
    gradients[name] = HostTensor::from(std::vector<float>{4}, {1});
  }
  Updates run = run_updates(Learner(options, specs), params, {gradients});
  EXPECT_THAT(floats(run.params, "a"), ElementsAre(-1.0f));
  EXPECT_NEAR(floats(run.params, "b")[0], 0.0, 1e-6);
  EXPECT_EQ(run.summaries[0].count("fast/gradient_scale"), 1u);
}

TEST(Learner, AppliesStateUpdatesWhereTheRulesAllowThem) {
  ParamSpecs specs;
  for (const char* name : {"all", "none", "only_optimizer"})
    specs[name] = spec_of({1});
  LearnerOptions options = learn_by(scale(-1));
  options.groups[0].update_rules =
      PathRules<UpdateType>{{"none", UpdateType::no_update}, {"only_.*", UpdateType::optimizers}};
  Learner learner(options, specs);
  graph::Tracer tracer;
  auto arguments = [&](const ParamSpecs& all) {
    return map(all, [&](const ParamSpec& spec) { return tracer.argument(spec.type); });
  };
  ValueTree params = arguments(specs);
  ValueTree news = arguments(specs);
  ValueTree gradients = arguments(learner.with_gradient(specs));
  auto out = learner.update(gradients, params, learner.init(params), news);
  auto program = runtime::test_client().compile(tracer.finish(leaves(out.params)));
  std::vector<HostTensor> args;
  for (float value : {1.f, 1.f, 1.f, 7.f, 7.f, 7.f, 3.f, 3.f})
    args.push_back(HostTensor::from(std::vector<float>{value}, {1}));
  std::vector<HostTensor> results = run(program, args);
  EXPECT_EQ(results[0].values<float>()[0], 7);   // all
  EXPECT_EQ(results[1].values<float>()[0], 1);   // none
  EXPECT_EQ(results[2].values<float>()[0], -2);  // only_optimizer
}

// The average includes values set by the forward pass. Integers are copied instead.
TEST(Learner, AveragesWhatTheForwardPassSet) {
  ParamSpecs specs;
  specs["count"] = ParamSpec{.type = {s32, {1}}, .axes = {"a"}};
  specs["mean"] = spec_of({1});
  LearnerOptions options = learn_by(scale(-1));
  options.groups[0].update_rules = PathRules<UpdateType>{{".*", UpdateType::state_updates}};
  options.ema = EmaOptions{.decay = constant(0.75)};
  Learner learner(options, specs);
  graph::Tracer tracer;
  auto arguments = [&] {
    return map(specs, [&](const ParamSpec& spec) { return tracer.argument(spec.type); });
  };
  ValueTree params = arguments(), news = arguments();
  auto out = learner.update({}, params, learner.init(params), news);
  auto program = runtime::test_client().compile(tracer.finish(leaves(out.state.at("ema"))));
  auto number = [](auto x) { return HostTensor::from(std::vector{x}, {1}); };
  std::vector<HostTensor> averages =
      run(program, {number(1), number(2.0F), number(7), number(6.0F)});
  EXPECT_EQ(averages[0].values<std::int32_t>()[0], 7);
  EXPECT_EQ(averages[1].values<float>()[0], 1.5F);  // average of 0 and 6
}

TEST(Clip, DropsGradientsThatAreNotFinite) {
  Learner learner(learn_by(chain({clip_by_global_norm({.drop_norm = 10.0}), scale(-1)})),
                  one_vector_spec(2));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Updates run = run_updates(
      learner, one_vector({1, 1}),
      {one_vector({3, 4}), one_vector({30, 4}), one_vector({nan, 4}), one_vector({6, 8})});
  EXPECT_THAT(floats(run.params_after[0], "w"), ElementsAre(-2.0f, -3.0f));
  EXPECT_EQ(floats(run.params_after[1], "w"), floats(run.params_after[0], "w"));
  EXPECT_EQ(floats(run.params_after[2], "w"), floats(run.params_after[0], "w"));
  EXPECT_EQ(floats(run.params_after[3], "w"), floats(run.params_after[0], "w"));
}

TEST(AllFinite, SeesWhatIsNot) {
  graph::Tracer tracer;
  ValueTree tree;
  tree["w"] = tracer.argument({f32, {2}});
  tree["count"] = tracer.argument({s32, {}});
  auto program = runtime::test_client().compile(tracer.finish(
      {graph::where(all_finite(tree), graph::constant(1, s32), graph::constant(0, s32))}));
  auto outcome = [&](float element) {
    return run(program, {HostTensor::from(std::vector<float>{1, element}, {2}),
                         HostTensor::from(std::vector<std::int32_t>{7}, {})})[0]
        .values<std::int32_t>()[0];
  };
  EXPECT_EQ(outcome(4), 1);
  EXPECT_EQ(outcome(std::numeric_limits<float>::infinity()), 0);
}

// A running mean set by the forward pass, and its average, beside trained parameters.
TEST(Learner, AppliesAllOrNothing) {
  ParamSpecs specs;
  for (const char* name : {"mean", "w"})
    specs[name] = spec_of({2});
  LearnerOptions options = learn_by(scale(-1));
  options.groups[0].update_rules = PathRules<UpdateType>{{"mean", UpdateType::state_updates}};
  options.ema = EmaOptions{.decay = constant(0.5)};
  const Learner learner(options, specs);
  graph::Tracer tracer;
  ValueTree params, gradients, news;
  for (const char* name : {"mean", "w"})
    params[name] = graph::constant(1.0, f32, {2});
  gradients["w"] = news["mean"] = graph::constant(3.0, f32, {2});
  std::vector<Value> results;
  for (const double applies : {1.0, 0.0}) {
    auto out = learner.update(gradients, params, learner.init(params), news,
                              [&](Value) { return graph::constant(applies, pred); });
    for (const char* path : {"mean", "w"}) {
      results.push_back(out.params.at(path).value());
      results.push_back(out.state.at("ema").at(path).value());
    }
    results.push_back(graph::cast(out.state.at("count").value(), f32));
  }
  auto program = runtime::test_client().compile(tracer.finish(results));
  std::vector<float> firsts;
  for (const HostTensor& tensor : run(program, {}))
    firsts.push_back(tensor.values<float>()[0]);
  EXPECT_THAT(firsts, ElementsAre(3, 1.5, -2, -1, 1, 1, 0, 1, 0, 0));
}

}  // namespace
}  // namespace meshwright::optim
