// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/stack.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "meshwright/nn/dropout.h"
#include "nn_testutil.h"

namespace meshwright::nn {
namespace {

struct Drop : Module {
  using Module::Module;
  Dropout dropout{this, "dropout", 0.5};
  Value operator()(Ctx& p, Value x) const { return dropout(p, x); }
};
struct Drops : Module {
  Drops() : Module({{"layers", 2}}) {}
  Stack<Drop> layers{this, "layers"};
};

TEST(Stack, LayersDropDifferentElements) {
  Drops model;
  auto body = [&](const ValueTree& values, std::span<const Value> args) {
    Ctx p(model, values, {.is_training = true, .key = graph::random::key(1)});
    return std::vector{model.layers(p, args[0])};
  };
  const HostTensor ones = HostTensor::from(std::vector<float>(4096, 1.0f), {4096});
  const std::vector<double> left =
      run_module(model, made_up_values(model), {{ones, "batch"}}, body)[0].to_doubles();
  const auto num_left = std::ranges::count(left, 4.0);
  EXPECT_EQ(num_left + std::ranges::count(left, 0.0), 4096);
  EXPECT_NEAR(static_cast<double>(num_left) / 4096, 0.25, 0.03);
}

}  // namespace
}  // namespace meshwright::nn
