// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/base/log.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/kernels/attention/attention.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/train_testutil.h"
#include "own_allocations.h"

namespace meshwright::train {
namespace {

using optim::learn_by;

/// A LineTask with additional attention calls, whose result has no weight.
class AttendingTask : public LineTask {
 public:
  explicit AttendingTask(int num_attentions) : num_attentions_(num_attentions) {}

  TaskLoss loss(const TaskInput& input) const override {
    TaskLoss out = LineTask::loss(input);
    const graph::Value b = input.params.at("line/b").value();
    for (int i = 0; i < num_attentions_; ++i) {
      const graph::Value q =
          graph::broadcast_to(graph::reshape(b, {1, 1, 1, 1, 1}), {2, 8, 2, 1, 4});
      const graph::Value k = graph::broadcast_to(graph::reshape(b, {1, 1, 1, 1}), {2, 8, 2, 4});
      const graph::Value seen = kernels::attention(q * (i + 1.0), k, k);
      out.loss.mean = out.loss.mean + 1e-6 * graph::reduce_sum(seen, {0, 1, 2, 3, 4});
    }
    return out;
  }

 private:
  int num_attentions_;
};

struct Training {
  Training(std::unique_ptr<Task> the_task, const optim::LearnerOptions& options, Placement where)
      : task(std::move(the_task)),
        placement(std::move(where)),
        setup(*task, options, placement),
        runner(runtime::test_client(), setup, Points().spec(), {}) {
    runner.init(3);
  }

  void update(int num_steps) {
    for (int i = 0; i < num_steps; ++i)
      runner.update(batch);
    runner.wait();
  }

  std::unique_ptr<Task> task;
  Placement placement;
  TrainingSetup setup;
  data::Batch batch = data::whole_batch(Points(), 0);
  StepRunner runner;
};

optim::LearnerOptions adamw_with_ema() {
  optim::LearnerOptions out = learn_by(optim::adamw({.learning_rate = optim::constant(0.01)}));
  out.ema = optim::EmaOptions{.decay = optim::constant(0.9)};
  return out;
}

optim::LearnerOptions sgd() {
  return learn_by(optim::sgd({.learning_rate = optim::constant(0.01)}));
}

std::vector<std::uintptr_t> addresses(const Training& training) {
  std::vector<std::uintptr_t> out;
  const auto num_devices = static_cast<std::size_t>(training.placement.mesh.num_devices());
  for (const runtime::DeviceArray& array : leaves(training.runner.state())) {
    for (std::size_t device = 0; device < num_devices; ++device)
      out.push_back(array.address(device));
  }
  return out;
}

TEST(StepMemory, TheStateStaysWhereItIs) {
  const Placement spread{.mesh = mesh::Mesh({{"data", 2}, {"fsdp", 4}}),
                         .params = {{"feature", {"fsdp"}}},
                         .activations = {{"batch", {"data", "fsdp"}}}};
  const ScopedLogHandler silent([](Severity, std::string_view) {});
  for (const Placement& where : {Placement(), spread}) {
    Training training(std::make_unique<LineTask>(), adamw_with_ema(), where);
    training.update(1);
    const std::vector<std::uintptr_t> before = addresses(training);
    training.update(3);
    EXPECT_EQ(addresses(training), before);
  }
}

// Returns the allocations of our code in a step after the first ones: the least of several rounds,
// since threads that are late in a kernel's loop keep its memory until then.
double allocations_of_a_step(std::unique_ptr<Task> task, const optim::LearnerOptions& options) {
  constexpr int kNumRounds = 8, kNumSteps = 100;
  Training training(std::move(task), options, {});
  training.update(10);
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kNumRounds; ++round) {
    const long before = num_own_allocations();
    training.update(kNumSteps);
    least = std::min(least, static_cast<double>(num_own_allocations() - before) / kNumSteps);
  }
  return least;
}

TEST(StepMemory, AStepAllocatesHandlesOfItsBatchAndNothingElse) {
  if (num_own_allocations() < 0) GTEST_SKIP() << "a sanitizer has its own operator new";
  const double least = allocations_of_a_step(std::make_unique<LineTask>(), sgd());
  constexpr int kNumBatchArrays = 3, kOfAnArray = 6, kOfAnExecution = 5;
  EXPECT_LE(least, kNumBatchArrays * kOfAnArray + kOfAnExecution);
  EXPECT_GT(least, 0) << "nothing is counted";
  // No allocation for arrays of the state or for calls of kernels.
  EXPECT_EQ(allocations_of_a_step(std::make_unique<LineTask>(), adamw_with_ema()), least);
  EXPECT_EQ(allocations_of_a_step(std::make_unique<AttendingTask>(5), sgd()), least);
}

}  // namespace
}  // namespace meshwright::train
