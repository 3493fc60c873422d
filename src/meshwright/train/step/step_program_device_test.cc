// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/text/writer.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/step/step_program.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/train_testutil.h"

namespace meshwright::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Returns the parameters and the last loss after three steps.
std::vector<double> trained(const Placement& placement, const StepOptions& options) {
  LineTask task;
  Points points;
  const TrainingSetup setup(
      task, optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)})), placement);
  StepRunner runner(runtime::test_client(), setup, points.spec(), options);
  runner.init(3);
  std::vector<double> out;
  for (int step = 0; step < 3; ++step)
    out = {
        runner.update(data::whole_batch(points, step)).metrics.to_host().to_doubles()[kLossMetric]};
  for (const runtime::DeviceArray& param : runner.part("model")) {
    for (double value : param.to_host().to_doubles())
      out.push_back(value);
  }
  return out;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(StepProgram, MicrobatchesGiveTheUpdateOfTheWholeBatch) {
  std::vector<double> whole = trained({}, {});
  for (int parts : {2, 4, 8})
    expect_near(trained({}, {.num_microbatches = parts}), whole, 2e-6);
}

TEST(StepProgram, IsTheSameOnAMesh) {
  Placement placement{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
                      .params = {{"feature", {"fsdp"}}},
                      .activations = {{"batch", {"data", "fsdp"}}}};
  std::vector<double> one = trained({}, {});
  expect_near(trained(placement, {}), one, 2e-6);
  // With 8 rows, each of 2 parts has 4, which 8 devices cannot share; the partitioner handles it.
  expect_near(trained(placement, {.num_microbatches = 2}), one, 2e-6);
}

TEST(StepProgram, ParametersLieAsStrategiesSay) {
  Placement placement{
      .mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
      .activations = {{"batch", {"data", "fsdp"}}},
      .strategies = {{Regex(".*/w"), "partition_spec('fsdp')"}, {Regex(".*"), "replicate"}}};
  LineTask task;
  Points points;
  const TrainingSetup setup(
      task, optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)})), placement);
  StepRunner runner(runtime::test_client(), setup, points.spec(), {});
  runner.init(3);
  runner.update(data::whole_batch(points, 0));
  int num_split = 0;
  for_each(runner.state(), [&](const std::string& path, const runtime::DeviceArray& array) {
    bool is_weight = path.ends_with("line/w");
    num_split += is_weight ? 1 : 0;
    EXPECT_EQ(array.shard_to_host(0).dims(), is_weight ? Dims{1} : array.type().dims) << path;
  });
  EXPECT_EQ(num_split, 3);  // with mu and nu
  expect_near(trained(placement, {}), trained({}, {}), 2e-6);
}

TEST(StepProgram, AnAxisOfOneProcessChangesNothing) {
  Placement placement{.mesh = mesh::Mesh({{"host", 1, mesh::AxisKind::process}, {"data", 8}}),
                      .activations = {{"batch", {"host", "data"}}}};
  expect_near(trained(placement, {}), trained({}, {}), 2e-6);
}

TEST(StepProgram, RunsOnTheDevicesOfThePlacement) {
  Placement placement{.mesh = mesh::Mesh({{"data", 2}}), .activations = {{"batch", {"data"}}}};
  std::vector<double> first = trained(placement, {});
  placement.device_ids = {5, 3};
  expect_near(trained(placement, {}), first, 0);
}

// Returns the lines of the step's program that multiply by the line's weights.
std::string products_of_step(const StepOptions& options) {
  LineTask task;
  const Placement placement;
  const TrainingSetup setup(
      task, optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)})), placement);
  std::istringstream text(
      graph::write_stablehlo(trace_step(setup, Points().spec(), options).program));
  std::string out;
  for (std::string line; std::getline(text, line);)
    if (line.find("dot_general") != line.npos) out += line + "\n";
  return out;
}

TEST(StepProgram, ComputesInTheTrainDtypeAndKeepsParameters) {
  for (const int parts : {1, 2}) {
    EXPECT_THAT(products_of_step({.num_microbatches = parts}),
                AllOf(HasSubstr("f32"), Not(HasSubstr("bf16"))));
    EXPECT_THAT(products_of_step({.num_microbatches = parts, .train_dtype = bf16}),
                AllOf(HasSubstr("bf16"), Not(HasSubstr("xf32"))));
    const std::vector<double> full = trained({}, {.num_microbatches = parts});
    const std::vector<double> narrow =
        trained({}, {.num_microbatches = parts, .train_dtype = bf16});
    EXPECT_NE(narrow, full);
    ASSERT_EQ(narrow.size(), full.size());
    for (std::size_t i = 0; i < full.size(); ++i)
      EXPECT_NEAR(narrow[i], full[i], 0.01 * std::abs(full[i])) << i;
  }
}

// Returns the losses of two steps on one batch, with constant parameters.
std::vector<double> losses_with_noise(const std::string& pattern,
                                      double stddev,
                                      int num_microbatches = 1) {
  LineTask task;
  Points points;
  Placement placement;
  const TrainingSetup setup(
      task, optim::learn_by(optim::sgd({.learning_rate = optim::constant(0)})), placement);
  StepOptions options{.num_microbatches = num_microbatches, .param_noise = {{pattern, stddev}}};
  StepRunner runner(runtime::test_client(), setup, points.spec(), options);
  runner.init(3);
  std::vector<double> out;
  for (int step = 0; step < 2; ++step) {
    StepResults results = runner.update(data::whole_batch(points, 0));
    out.push_back(results.metrics.to_host().to_doubles()[kLossMetric]);
  }
  return out;
}

TEST(StepProgram, NoiseIsForTheLossOnlyAndNewInEachStep) {
  std::vector<double> without = losses_with_noise("line/.*", 0);
  EXPECT_EQ(without[0], without[1]);
  std::vector<double> with = losses_with_noise("line/w", 0.1);
  EXPECT_NE(with[0], without[0]);
  EXPECT_NE(with[1], without[0]) << "the parameters themselves must not get noise";
  EXPECT_NE(with[0], with[1]);
  EXPECT_EQ(losses_with_noise("w", 0.1), without) << "the whole path must match";
}

TEST(StepProgram, EachMicrobatchHasNoiseOfItsOwn) {
  std::vector<double> whole = losses_with_noise("line/b", 0.1);
  std::vector<double> parts = losses_with_noise("line/b", 0.1, 2);
  EXPECT_NE(whole[0], parts[0]);
  expect_near(losses_with_noise("line/b", 0, 2), losses_with_noise("line/b", 0), 1e-5);
}

// Outputs its errors for inspection.
class WatchedTask : public LineTask {
 public:
  TaskLoss loss(const TaskInput& input) const override {
    TaskLoss out = LineTask::loss(input);
    out.histograms["model/line/input"] = input.batch.at("x").value();
    return out;
  }
};

TEST(StepProgram, GivesTheArraysOfHistograms) {
  WatchedTask task;
  Points points;
  Placement placement;
  const TrainingSetup setup(task, optim::learn_by(optim::identity()), placement);
  for (int parts : {1, 2}) {
    StepRunner runner(runtime::test_client(), setup, points.spec(), {.num_microbatches = parts});
    runner.init(3);
    data::Batch batch = data::whole_batch(points, 0);
    StepResults results = runner.update(batch);
    ASSERT_EQ(runner.histogram_names(), std::vector<std::string>{"model/line/input"});
    std::vector<double> got = results.histograms.at(0).to_host().to_doubles();
    std::vector<double> all = batch.at("x").value().to_doubles();
    if (parts == 1) {
      EXPECT_EQ(got, all);
    } else {  // the last part has every other row
      ASSERT_EQ(got.size(), all.size() / 2);
      EXPECT_EQ(std::vector(got.begin(), got.begin() + 4),
                std::vector(all.begin() + 4, all.begin() + 8));
    }
  }
}

TEST(StepProgram, CountsItsFlops) {
  LineTask task;
  Points points;
  Placement placement;
  const TrainingSetup setup(task, optim::learn_by(optim::identity()), placement);
  // A product of [8,4] and [4], forward and twice as much backward.
  EXPECT_EQ(num_step_flops(setup, points.spec()), 3 * 2 * 8 * 4);
}

TEST(StepProgram, RefusesABatchThatCannotBeCut) {
  EXPECT_THROW(trained({}, {.num_microbatches = 3}), Error);
}

}  // namespace
}  // namespace meshwright::train
