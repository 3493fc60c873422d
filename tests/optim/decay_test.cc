// SPDX-License-Identifier: Apache-2.0
#include "meshwright/optim/transforms/decay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meshwright/optim/transforms/scale.h"
#include "run_updates.h"

namespace meshwright::optim {
namespace {

HostTree one_number(float value) {
  HostTree out;
  out["w"] = HostTensor::from(std::vector<float>{value}, {1});
  return out;
}

// Returns the parameter, 8 at first, after each update with zero gradients.
std::vector<float> decayed(const WeightDecay& decay,
                           int num_updates,
                           const DecayByRate& by_rate = {}) {
  ParamSpecs specs;
  specs["w"] = spec_of({1});
  Learner learner(learn_by(chain({add_decayed_weights(decay, by_rate), scale(-1)})), specs);
  std::vector<HostTree> gradients(static_cast<std::size_t>(num_updates), one_number(0));
  std::vector<float> out;
  for (const HostTree& params : run_updates(learner, one_number(8), gradients).params_after)
    out.push_back(params.at("w").value().values<float>()[0]);
  return out;
}

TEST(Decay, GoesWithAPowerOfTheLearningRate) {
  DecayByRate by_rate{.exponent = 2, .learning_rate = polynomial({.end = 10, .end_value = 1})};
  // Learning rates 0.1 and 0.2.
  std::vector<float> from_one = decayed({0.5}, 2, by_rate);
  EXPECT_NEAR(from_one[0], 8 * (1 - 0.5 * 0.01), 1e-5);
  EXPECT_NEAR(from_one[1], 8 * (1 - 0.5 * 0.01) * (1 - 0.5 * 0.04), 1e-5);
  // Learning rates 0 and 0.1.
  by_rate.first_step = 0;
  std::vector<float> from_zero = decayed({0.5}, 2, by_rate);
  EXPECT_EQ(from_zero[0], 8);
  EXPECT_NEAR(from_zero[1], 8 * (1 - 0.5 * 0.01), 1e-5);
}

TEST(Decay, TakesScalesOfPaths) {
  EXPECT_EQ(decayed({.rate = 0.5, .rules = {{"w", 0.25}}}, 1)[0], 7);
  EXPECT_EQ(decayed({.rate = 0.5, .rules = {{"v", 0.25}}, .otherwise = 0}, 1)[0], 8);
}

}  // namespace
}  // namespace meshwright::optim
