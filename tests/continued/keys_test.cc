// SPDX-License-Identifier: Apache-2.0
// Compares the keys of each step with those of AXLearn's trainer.
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/random/sample.h"
#include "meshwright/optim/optimizers/sgd.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/train_testutil.h"
#include "npy/npy.h"

namespace meshwright::train {
namespace {

// Its loss is a random number drawn with the key of the forward pass.
class Noisy : public LineTask {
 public:
  TaskLoss loss(const TaskInput& input) const override {
    const Value drawn = graph::random::uniform(input.key, {});
    return {.loss = {drawn + 0.0 * input.params.at("line/b").value(), graph::constant(1.0, f32)}};
  }
};

HostTensor golden(const char* file) {
  return test_npy::read_npy(std::string(GOLDEN_FOLDER "/keys/") + file);
}

TEST(Keys, OfEachStepAreThoseOfAxlearn) {
  const HostTensor states = golden("threefry2x32_state.npy");  // before and after each of 6 steps
  const HostTensor drawn = golden("threefry2x32_uniform.npy");
  const Noisy task;
  const optim::LearnerOptions learner =
      optim::learn_by(optim::sgd({.learning_rate = optim::constant(0)}));
  Placement placement;
  const TrainingSetup setup(task, learner, placement);
  const Points points;
  StepRunner runner(runtime::test_client(), setup, points.spec(), {});
  runner.init(3);
  for (std::int64_t step = 0; step < 6; ++step) {
    const auto at = static_cast<std::size_t>(step);
    const HostTensor key = runner.part("prng_key").front().to_host();
    for (const std::size_t word : {std::size_t{0}, std::size_t{1}})
      EXPECT_EQ(key.values<std::uint32_t>()[word], states.values<std::uint32_t>()[2 * at + word])
          << "word " << word << " before step " << step + 1;
    const std::vector<double> metrics =
        runner.update(data::whole_batch(points, step)).metrics.to_host().to_doubles();
    EXPECT_EQ(metrics[kLossMetric], drawn.values<float>()[at]) << "step " << step + 1;
  }
}

}  // namespace
}  // namespace meshwright::train
