// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/param_noise.h"

#include <cmath>

#include <gtest/gtest.h>

#include "nn_testutil.h"

namespace meshwright::nn {
namespace {

// Zero everywhere, so that the output is the noise.
struct Zeros : Module {
  Zeros() : Module({{"a", 64}, {"b", 64}}) {}
  struct Part : Module {
    using Module::Module;
    Param w = param("w", "a b", zeros());
    Param bias = param("bias", "b", zeros());
  };
  Part first{this, "first"}, second{this, "second"};
};

// first/bias, first/w, second/bias, second/w
std::vector<std::vector<double>> noise(const std::vector<NoiseRule>& rules, int seed = 1) {
  Zeros module;
  auto body = [&](const ValueTree& params, std::span<const Value>) {
    return leaves(with_noise(params, graph::random::key(seed), rules));
  };
  std::vector<std::vector<double>> out;
  for (const HostTensor& x : run_module(module, drawn_values(module), {}, body))
    out.push_back(x.to_doubles());
  return out;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (double x : values)
    sum += x * x;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(ParamNoise, IsOfTheFirstRuleThatMatchesTheWholePath) {
  auto x = noise({{"first/w", 0.5}, {".*/w", 0.1}, {"bias", 1.0}});
  EXPECT_EQ(rms(x[0]), 0);
  EXPECT_NEAR(rms(x[1]), 0.5, 0.03);
  EXPECT_EQ(rms(x[2]), 0);
  EXPECT_NEAR(rms(x[3]), 0.1, 0.006);
}

TEST(ParamNoise, DependsOnKeyAndNameAndOnNothingElse) {
  const std::vector<NoiseRule> all = {{".*", 1.0}};
  auto x = noise(all);
  EXPECT_EQ(noise(all), x);
  EXPECT_NE(noise(all, 2)[1], x[1]);
  EXPECT_NE(x[1], x[3]);
  EXPECT_EQ(noise({{"second/w", 1.0}})[3], x[3]);
}

}  // namespace
}  // namespace meshwright::nn
