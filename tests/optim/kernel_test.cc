// SPDX-License-Identifier: Apache-2.0
// Compares optimizers whose steps a kernel applies in one pass with the same steps as plain ops.
#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/optim/optimizers/adamw.h"
#include "meshwright/optim/transforms/clip.h"
#include "meshwright/optim/transforms/decay.h"
#include "meshwright/optim/transforms/momentum.h"
#include "meshwright/optim/transforms/scale.h"
#include "meshwright/optim/transforms/skip.h"
#include "parity_case.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

class ByKernel : public testing::TestWithParam<ParityCase> {};

TEST_P(ByKernel, IsAsByPlainOps) {
  const Learner learner(GetParam().learner, parity_specs());
  const HostTree params = random_values(parity_specs(), 1);
  std::vector<HostTree> gradients;
  for (std::uint32_t i = 0; i < 3; ++i)
    gradients.push_back(random_values(parity_specs(), 100 + i, 0.1));
  const Updates ours = run_updates(learner, params, gradients);
  const Updates plain = run_updates(learner, params, gradients, {.use_kernels = false});
  EXPECT_TRUE(ours.has_call);
  EXPECT_FALSE(plain.has_call);
  EXPECT_GT(largest_difference(ours.params, params), 1e-5);
  // Low-precision slots may round differently.
  EXPECT_LT(largest_difference(ours.params, plain.params), 1e-3);
  EXPECT_LT(largest_difference(ours.params_after[0], plain.params_after[0]), 2e-6);
}

class NotApplied : public testing::TestWithParam<const char*> {};

TEST_P(NotApplied, LeavesParametersAndStateAsTheyAre) {
  LearnerOptions options = optimizer_case(GetParam()).learner;
  options.ema = EmaOptions{.decay = constant(0.9), .starts_with_params = true};
  const Learner learner(options, parity_specs());
  const HostTree params = random_values(parity_specs(), 1);
  const HostTree gradients = random_values(parity_specs(), 2, std::nan(""));
  const Updates never = run_updates(learner, params, {gradients}, {.applies = false});
  EXPECT_EQ(largest_difference(never.params, params), 0);
  EXPECT_EQ(largest_difference(never.state, run_updates(learner, params, {}).state), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Optimizers,
    NotApplied,
    testing::Values("nadamw", "lion", "muon", "optax_adafactor_all", "t5x_all"),
    [](const auto& tested) { return std::string(tested.param); });

INSTANTIATE_TEST_SUITE_P(Optimizers,
                         ByKernel,
                         testing::ValuesIn(optimizer_cases()),
                         [](const auto& tested) { return tested.param.name; });

ParamSpecs some_specs() {
  ParamSpecs out;
  out["w"] = spec_of({300, 7}, "embed mlp");
  return out;
}

// One learner with clipping, moments, weight decay, learning rate, skipped updates and average.
TEST(ByKernelAlone, DoesAWholeLearner) {
  LearnerOptions options = learn_by(skip_and_clip(
      adamw({.learning_rate = constant(0.1), .weight_decay = {0.1}}), {.max_norm = 0.5}));
  options.ema = EmaOptions{.decay = constant(0.9)};
  const Learner learner(options, some_specs());
  const HostTree params = random_values(some_specs(), 1);
  std::vector<HostTree> gradients;
  for (const double deviation : {0.1, std::numeric_limits<double>::infinity(), 0.2})
    gradients.push_back(random_values(some_specs(), 7, deviation));
  const Updates ours = run_updates(learner, params, gradients);
  const Updates plain = run_updates(learner, params, gradients, {.use_kernels = false});
  EXPECT_TRUE(ours.has_call);
  EXPECT_LT(largest_difference(ours.params, plain.params), 5e-6);
  EXPECT_LT(largest_difference(ours.state, plain.state), 1e-6);
  EXPECT_EQ(largest_difference(ours.params_after[1], ours.params_after[0]), 0);
  EXPECT_GT(largest_difference(ours.params, ours.params_after[0]), 1e-2);
  // The average moves even if the update is skipped.
  const Updates first = run_updates(learner, params, {gradients[0]});
  const Updates skipped = run_updates(learner, params, {gradients[0], gradients[1]});
  EXPECT_GT(largest_difference(skipped.state.at("ema"), first.state.at("ema")), 1e-2);
}

TEST(ByKernelAlone, KeepsParametersInBf16) {
  ParamSpecs specs = some_specs();
  specs["w"].value().type.dtype = bf16;
  const LearnerOptions options = learn_by(
      chain({clip_by_global_norm({.max_norm = 0.5}), adamw({.learning_rate = constant(0.1)})}));
  const Learner learner(options, specs);
  auto in_bf16 = [&](std::uint32_t salt) {
    return map(random_values(some_specs(), salt), [](const HostTensor& x) {
      const auto floats = x.values<float>();
      return HostTensor::from(std::vector<BFloat16>(floats.begin(), floats.end()), x.dims());
    });
  };
  const Updates ours = run_updates(learner, in_bf16(1), {in_bf16(2), in_bf16(3)});
  const Updates plain =
      run_updates(learner, in_bf16(1), {in_bf16(2), in_bf16(3)}, {.use_kernels = false});
  EXPECT_TRUE(ours.has_call);
  EXPECT_LT(largest_difference(ours.state, plain.state), 1e-6);
  EXPECT_LT(largest_difference(ours.params, plain.params), 0.02);  // one rounding step
  EXPECT_GT(largest_difference(ours.params, in_bf16(1)), 0.1);
}

// Transforms after a skipped chain still apply.
TEST(ByKernelAlone, DecaysBehindWhatIsSkipped) {
  const Transform inner = chain({momentum({.decay = 0.5}), scale(-1)});
  const Learner learner(
      learn_by(chain({skip_and_clip(inner), add_decayed_weights({.rate = -0.5})})), some_specs());
  const HostTree params = random_values(some_specs(), 1);
  const Updates run = run_updates(learner, params, {random_values(some_specs(), 2, std::nan(""))});
  const std::vector<double> before = params.at("w").value().to_doubles();
  const std::vector<double> after = run.params.at("w").value().to_doubles();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(after[i], before[i] / 2, 1e-6) << i;
}

}  // namespace
}  // namespace meshwright::optim
