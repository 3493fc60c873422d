// SPDX-License-Identifier: Apache-2.0
// Optimizers whose parameters and slots are sharded over eight devices.
#include <string>

#include <gtest/gtest.h>

#include "parity_case.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

// f32 slots, because low-precision slots may round differently.
class Sharded : public testing::TestWithParam<const char*> {};

TEST_P(Sharded, OptimizerDoesAsOnOneDevice) {
  Learner learner(optimizer_case(GetParam()).learner, parity_specs());
  HostTree params = random_values(parity_specs(), 1);
  std::vector<HostTree> gradients;
  for (std::uint32_t i = 0; i < 3; ++i)
    gradients.push_back(random_values(parity_specs(), 100 + i, 0.1));
  Updates one = run_updates(learner, params, gradients);
  Updates eight = run_updates(
      learner, params, gradients,
      {.mesh = mesh::Mesh({{"fsdp", 4}, {"tensor", 2}}),
       .rules = {
           {"embed", {"fsdp"}}, {"mlp", {"tensor"}}, {"head", {"tensor"}}, {"vocab", {"tensor"}}}});
  EXPECT_TRUE(eight.has_call);
  EXPECT_GT(largest_difference(one.params, params), 1e-3);
  EXPECT_LT(largest_difference(one.params, eight.params), 1e-5);
  EXPECT_LT(largest_difference(one.state, eight.state), 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Optimizers,
                         Sharded,
                         testing::Values("axlearn_sgd_coupled",
                                         "nadamw",
                                         "lion",
                                         "axlearn_lamb",
                                         "muon",
                                         "optax_adafactor_all",
                                         "axlearn_adafactor_all",
                                         "t5x_all",
                                         "axlearn_clip"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace meshwright::optim
