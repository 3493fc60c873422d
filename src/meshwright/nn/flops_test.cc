// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/flops.h"

#include <gtest/gtest.h>

#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/scan.h"

namespace meshwright::nn {
namespace {

using graph::Value;

TEST(Flops, OfAProductAreTwoForEachMultiplication) {
  auto body = [](std::span<const Value> v) {
    return std::vector{dot_general(v[0], v[1], {{0}, {0}, {2}, {1}}) + 1.0};
  };
  graph::Program program = graph::trace({{f32, {2, 3, 5}}, {f32, {2, 5, 7}}}, body);
  EXPECT_EQ(num_flops(program), 2.0 * 2 * 3 * 5 * 7);
}

TEST(Flops, OfAScanCountEveryStep) {
  auto body = [](std::span<const Value> v) {
    auto step = [&](std::span<const Value> carry, std::span<const Value> xs) {
      return graph::ScanStep{{dot_general(carry[0], xs[0], {{}, {}, {1}, {0}})}, {}};
    };
    return scan(v.first(1), v.subspan(1), step).carry;
  };
  graph::Program program = graph::trace({{f32, {3, 4}}, {f32, {6, 4, 4}}}, body);
  EXPECT_EQ(num_flops(program), 6 * 2.0 * 3 * 4 * 4);
}

TEST(Flops, OfAConvolutionCountItsWindow) {
  auto body = [](std::span<const Value> v) { return std::vector{convolution(v[0], v[1])}; };
  graph::Program program = graph::trace({{f32, {2, 8, 8, 3}}, {f32, {3, 3, 3, 5}}}, body);
  EXPECT_EQ(num_flops(program), 2.0 * (2 * 6 * 6 * 5) * (3 * 3 * 3));
}

TEST(Flops, OfATrainingStepAreThreeForwardPasses) {
  double flops = num_training_flops([](graph::Tracer& tracer) {
    Value x = tracer.argument({f32, {4, 4}});
    dot_general(x, x, {{}, {}, {1}, {0}});
  });
  EXPECT_EQ(flops, 3 * 2.0 * 64);
}

}  // namespace
}  // namespace meshwright::nn
