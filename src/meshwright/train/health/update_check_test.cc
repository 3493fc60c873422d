// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/health/update_check.h"

#include <limits>

#include <gtest/gtest.h>

namespace meshwright::train {
namespace {

const std::vector<std::string> kMetrics = {"loss", "gradient_norm"};
const std::vector<std::string> kArrays = {"learner/count", "model/w", "prng_key"};

TEST(UpdateCheck, NamesMetricsArraysAndDevices) {
  const UpdateBits first{.metrics = {0.5F, 2}, .state = {{1, 1}, {2, 3}, {4, 4}}};
  EXPECT_EQ(difference(first, first, kMetrics, kArrays), "");
  UpdateBits second = first;
  second.state[1][1] = 9;
  EXPECT_EQ(difference(first, second, kMetrics, kArrays),
            "1 of 3 arrays of the state: model/w (device 1)");
  second.state[2] = {8, 8};
  second.metrics[0] = 0.25F;
  EXPECT_EQ(difference(first, second, kMetrics, kArrays),
            "loss 0.5 and 0.25; 2 of 3 arrays of the state: model/w (device 1), prng_key");
}

TEST(UpdateCheck, ComparesBitsAndNotNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const UpdateBits zero{.metrics = {0, nan}}, negative{.metrics = {-0.0F, nan}};
  EXPECT_EQ(difference(zero, zero, kMetrics, {}), "");
  EXPECT_EQ(difference(zero, negative, kMetrics, {}), "loss 0 and -0");
}

TEST(UpdateCheck, LeavesOutManyNames) {
  UpdateBits first, second;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < 9; ++i) {
    names.push_back(str("w", i));
    first.state.push_back({i});
    second.state.push_back({i + 1});
  }
  EXPECT_EQ(difference(first, second, {}, names),
            "9 of 9 arrays of the state: w0, w1, w2, w3, w4, w5, ...");
}

}  // namespace
}  // namespace meshwright::train
