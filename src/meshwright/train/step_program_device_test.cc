// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "meshwright/optim/optimizers.h"
#include "meshwright/runtime/runtime_testutil.h"
#include "meshwright/train/step_program.h"
#include "meshwright/train/step_runner.h"
#include "meshwright/train/train_testutil.h"

namespace meshwright::train {
namespace {

// The parameters and the last loss after three steps.
std::vector<double> trained(const Placement& placement, const StepOptions& options) {
  LineTask task;
  Points points;
  optim::Learner learner(optim::learn_by(optim::adamw({.learning_rate = optim::constant(0.1)})),
                         task.param_specs());
  StateLayout layout = state_layout(task.param_specs(), learner, placement);
  Setting setting{task, learner, placement, layout};
  StepRunner runner(runtime::test_client(), setting, points.spec(), options);
  runner.init(3);
  std::vector<double> out;
  for (int step = 0; step < 3; ++step)
    out = {runner.update(data::whole_batch(points, step)).to_host().to_doubles()[kLossMetric]};
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
  // Of 8 rows, each of 2 parts has 4, which 8 devices cannot share: the partitioner copes.
  expect_near(trained(placement, {.num_microbatches = 2}), one, 2e-6);
}

TEST(StepProgram, ComputesInTheTrainDtypeAndKeepsParameters) {
  std::vector<double> full = trained({}, {});
  std::vector<double> narrow = trained({}, {.train_dtype = bf16});
  EXPECT_NE(narrow, full);
  expect_near(narrow, full, 0.5);  // of a loss of 41: bf16 has 8 bits
}

TEST(StepProgram, RefusesABatchThatCannotBeCut) {
  EXPECT_THROW(trained({}, {.num_microbatches = 3}), Error);
}

TEST(StateLayout, DescribesItself) {
  EXPECT_EQ(with_separators(1234567), "1,234,567");
  EXPECT_EQ(with_separators(-123), "-123");
  EXPECT_EQ(with_separators(-1234), "-1,234");
}

}  // namespace
}  // namespace meshwright::train
