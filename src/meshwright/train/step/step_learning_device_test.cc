// SPDX-License-Identifier: Apache-2.0
// The effect of gradients, weights, keys and state updates in one step.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/graph/sharding/global.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using optim::UpdateType;
using testing::DoubleNear;
using testing::Pointwise;

struct Outcomes {
  std::vector<double> w;
  double b = 0;
  std::vector<double> losses;
  double num_skipped = 0;
};

Outcomes updated(const Task& task,
                 const optim::LearnerOptions& options,
                 const std::vector<data::Batch>& batches,
                 const StepOptions& step = {}) {
  Placement placement;
  const TrainingSetup setup(task, options, placement);
  StepRunner runner(runtime::test_client(), setup, Points().spec(), step);
  runner.init(3);
  Outcomes out;
  for (const data::Batch& batch : batches) {
    std::vector<double> metrics = runner.update(batch).metrics.to_host().to_doubles();
    out.losses.push_back(metrics[kLossMetric]);
    out.num_skipped = metrics[kNumSkippedMetric];
  }
  std::vector<runtime::DeviceArray> params = runner.part("model");  // ordered by name
  out.b = params[0].to_host().to_doubles()[0];
  out.w = params[1].to_host().to_doubles();
  return out;
}

std::vector<data::Batch> first_batches(std::int64_t count) {
  std::vector<data::Batch> out;
  for (std::int64_t step = 0; step < count; ++step)
    out.push_back(data::whole_batch(Points(), step));
  return out;
}

optim::LearnerOptions descent(double rate) {
  return optim::learn_by(optim::scale(-rate));
}

TEST(Step, WhatDoesNotLearnNeedsNoGradient) {
  // The gradient with respect to b, which is 0, is 0 times infinity.
  class RootOfB : public LineTask {
   public:
    TaskLoss loss(const TaskInput& input) const override {
      TaskLoss out = LineTask::loss(input);
      out.loss.mean = out.loss.mean + 0.0 * graph::sqrt(input.params.at("line/b").value());
      return out;
    }
  };
  optim::LearnerOptions frozen = descent(0.01);
  frozen.groups[0].update_rules = {{"line/b", UpdateType::no_update}};
  Outcomes with_rule = updated(RootOfB(), frozen, first_batches(2));
  EXPECT_EQ(with_rule.num_skipped, 0);
  EXPECT_EQ(with_rule.b, 0);
  EXPECT_LT(with_rule.losses[1], with_rule.losses[0]);
  EXPECT_EQ(updated(RootOfB(), descent(0.01), first_batches(2)).num_skipped, 2);
}

TEST(Step, GroupsOfALearnerTrainTogether) {
  optim::LearnerOptions both;
  both.groups = {{"weights", optim::scale(-0.01), {}}, {"rest", optim::scale(-0.5), {}}};
  both.group_rules = {{"line/w", "weights"}, {".*", "rest"}};
  Outcomes together = updated(LineTask(), both, first_batches(1));
  EXPECT_EQ(together.w, updated(LineTask(), descent(0.01), first_batches(1)).w);
  EXPECT_EQ(together.b, updated(LineTask(), descent(0.5), first_batches(1)).b);
}

// Rows i and i + 4 form one of four parts.
TEST(Step, PartsWithoutWeightChangeNothing) {
  data::Batch batch = data::whole_batch(Points(), 0);
  std::span<float> weights = batch.at("weights").value().mutable_values<float>();
  for (std::size_t row = 0; row < weights.size(); ++row)
    weights[row] = row % 4 == 1 ? 2 : 0;
  Outcomes whole = updated(LineTask(), descent(0.01), {batch});
  Outcomes parts = updated(LineTask(), descent(0.01), {batch}, {.num_microbatches = 4});
  EXPECT_THAT(parts.w, Pointwise(DoubleNear(1e-6), whole.w));
  EXPECT_NEAR(parts.losses[0], whole.losses[0], 1e-4);
  EXPECT_EQ(parts.num_skipped, 0);
}

// A task that divides by the weight itself may return NaN for a mean with weight 0.
TEST(Step, APartWithoutWeightMayBeNan) {
  class Divides : public LineTask {
   public:
    TaskLoss loss(const TaskInput& input) const override {
      TaskLoss out = LineTask::loss(input);
      Value weights = input.batch.at("weights").value();
      Value mean = graph::global_sum(input.batch.at("y").value() * weights) / out.loss.weight;
      out.loss.mean = out.loss.mean + input.params.at("line/b").value() * mean;
      return out;
    }
  };
  data::Batch batch = data::whole_batch(Points(), 0);
  std::span<float> weights = batch.at("weights").value().mutable_values<float>();
  for (std::size_t row = 0; row < weights.size(); ++row)
    weights[row] = row % 4 == 1 ? 2 : 0;
  Outcomes whole = updated(Divides(), descent(0.01), {batch});
  Outcomes parts = updated(Divides(), descent(0.01), {batch}, {.num_microbatches = 4});
  EXPECT_EQ(parts.num_skipped, 0);
  EXPECT_NEAR(parts.losses[0], whole.losses[0], 1e-4);
  EXPECT_NEAR(parts.b, whole.b, 1e-6);
  EXPECT_THAT(parts.w, Pointwise(DoubleNear(1e-6), whole.w));
}

// Its loss is a random number drawn with the step's key.
class Noisy : public LineTask {
 public:
  TaskLoss loss(const TaskInput& input) const override {
    Value drawn = graph::random::uniform(input.key, {});
    Value weight = graph::constant(1.0, f32);
    TaskLoss out{.loss = {drawn + 0.0 * input.params.at("line/b").value(), weight}};
    out.metrics["square"] = {square(drawn), weight};
    return out;
  }
};

// AXLearn's split: next step, parameter noise, forward pass, learner.
TEST(Step, KeysAreThoseOfAxlearn) {
  graph::Tracer tracer;
  using graph::random::Key;
  std::vector<Value> expected;
  Key key = graph::random::split(graph::random::key(tracer.argument({s32, {}})))[0];
  for (int step = 0; step < 3; ++step) {
    std::vector<Key> keys = graph::random::split(key, 4);
    expected.push_back(graph::random::uniform(keys[2], {}));
    key = keys[0];
  }
  auto program = runtime::test_client().compile(tracer.finish(std::move(expected)));
  std::vector<HostTensor> wanted = run(program, {HostTensor::scalar<std::int32_t>(3)});
  std::vector<double> found = updated(Noisy(), descent(0), first_batches(3)).losses;
  for (std::size_t step = 0; step < 3; ++step)
    EXPECT_EQ(found[step], wanted[step].to_doubles()[0]) << step;
}

TEST(Step, EveryPartHasAKeyOfItsOwn) {
  std::vector<double> one = updated(Noisy(), descent(0), first_batches(3)).losses;
  std::vector<double> parts =
      updated(Noisy(), descent(0), first_batches(3), {.num_microbatches = 2}).losses;
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NE(parts[i], one[i]);
}

// By hand: the gradient of one example with respect to w and b is 2 error (x, 1).
TEST(Step, GradientsOfSingleExamplesAreClipped) {
  constexpr double kMaxNorm = 15;
  data::Batch batch = data::whole_batch(Points(), 0);
  std::ranges::fill(batch.at("weights").value().mutable_values<float>(), 1.0F);
  const Outcomes before = updated(LineTask(), descent(0), {batch});
  std::vector<double> expected = before.w;
  expected.push_back(before.b);
  const std::vector<double> x = batch.at("x").value().to_doubles();
  const std::vector<double> y = batch.at("y").value().to_doubles();
  int num_clipped = 0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    std::vector<double> inputs(x.begin() + static_cast<std::ptrdiff_t>(4 * row),
                               x.begin() + static_cast<std::ptrdiff_t>(4 * row + 4));
    double error = before.b - y[row];
    for (std::size_t i = 0; i < 4; ++i)
      error += before.w[i] * inputs[i];
    inputs.push_back(1);
    const double square = std::inner_product(inputs.begin(), inputs.end(), inputs.begin(), 0.0);
    const double norm = 2 * std::abs(error) * std::sqrt(square);
    num_clipped += norm > kMaxNorm ? 1 : 0;
    for (std::size_t i = 0; i < 5; ++i)
      expected[i] -= 2 * error * inputs[i] / std::max(norm / kMaxNorm, 1.0) / 8;
  }
  EXPECT_GT(num_clipped, 0);
  EXPECT_LT(num_clipped, 8);
  Outcomes after = updated(LineTask(), descent(1), {batch},
                           {.num_microbatches = 8, .microbatch_clip_norm = kMaxNorm});
  after.w.push_back(after.b);
  EXPECT_THAT(after.w, Pointwise(DoubleNear(1e-5), expected));
}

TEST(Step, SomeParametersKeepADtypeOfTheirOwn) {
  class Asks : public LineTask {
   public:
    TaskLoss loss(const TaskInput& input) const override {
      w = input.params.at("line/w").value().dtype();
      b = input.params.at("line/b").value().dtype();
      x = input.array("x").dtype();
      Value weighted =
          graph::cast(input.array("x"), f32) * graph::cast(input.params.at("line/w").value(), f32);
      return {.loss = mean(weighted + graph::cast(input.params.at("line/b").value(), f32))};
    }
    mutable DType w = s32, b = s32, x = s32;
  };
  const Asks task;
  updated(task, descent(0.1), {}, {.train_dtype = bf16, .train_dtype_rules = {{"line/b", f32}}});
  EXPECT_EQ(std::tuple(task.w, task.b, task.x), std::tuple(bf16, f32, bf16));
  updated(task, descent(0.1), {}, {.train_dtype_rules = {{".*/w", bf16}, {"w", f32}, {".*b", {}}}});
  EXPECT_EQ(std::tuple(task.w, task.b, task.x), std::tuple(bf16, f32, f32));
}

// A parameter set by the forward pass, as in batch norm: the value of the last part is kept.
TEST(Step, StateUpdatesAreThoseOfTheLastPart) {
  class Counts : public LineTask {
   public:
    TaskLoss loss(const TaskInput& input) const override {
      TaskLoss out = LineTask::loss(input);
      Value y = input.batch.at("y").value();
      out.state_updates["line/b"] = graph::global_mean(y);
      // Modules without outputs leave empty branches, which are not updates.
      (void)out.state_updates["line/nested/empty"];
      (void)out.state_updates["removed"];
      return out;
    }
  };
  optim::LearnerOptions options = descent(0.01);
  options.groups[0].update_rules = {{"line/b", UpdateType::state_updates}};
  std::vector<data::Batch> batch = first_batches(1);
  std::span<const float> y = batch[0].at("y").value().values<float>();
  double all = 0, odd = 0;
  for (std::size_t row = 0; row < y.size(); ++row) {
    all += y[row] / 8;
    odd += row % 2 == 1 ? y[row] / 4 : 0;
  }
  EXPECT_NEAR(updated(Counts(), options, batch).b, all, 1e-5);
  EXPECT_NEAR(updated(Counts(), options, batch, {.num_microbatches = 2}).b, odd, 1e-5);
}

// A bad step changes neither parameters nor optimizer state.
TEST(Step, ABadStepIsAsIfItHadNotBeen) {
  auto adamw = optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)}));
  std::vector<data::Batch> batches = first_batches(3);
  const StepOptions skipping{.non_finite = {.action = OnNonFinite::skip}};
  Outcomes good = updated(LineTask(), adamw, {batches[0], batches[2]}, skipping);
  batches[1].at("y").value().mutable_values<float>()[3] = INFINITY;
  Outcomes bad = updated(LineTask(), adamw, batches, skipping);
  EXPECT_EQ(bad.num_skipped, 1);
  EXPECT_EQ(bad.w, good.w);
  const StepOptions halting{.non_finite = {.action = OnNonFinite::stop}};
  EXPECT_EQ(updated(LineTask(), adamw, batches, halting).num_skipped, 2);
}

}  // namespace
}  // namespace meshwright::train
