// SPDX-License-Identifier: Apache-2.0
#include "spirals.h"

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

using namespace meshwright;

data::SourcePtr spirals(const SpiralOptions& options) {
  std::mt19937 random(options.seed);
  std::vector<float> points;
  std::vector<std::int32_t> arms;
  for (std::int64_t i = 0; i < options.num_points; ++i) {
    const auto arm = static_cast<std::int32_t>(i % 3);
    const double radius = static_cast<double>(random()) * 0x1p-32;  // equal on every machine
    const double noise = static_cast<double>(random()) * 0x1p-32 - 0.5;
    const double angle = 2 * std::numbers::pi * (arm / 3.0 + 1.2 * radius + 0.15 * noise);
    points.push_back(static_cast<float>(radius * std::cos(angle)));
    points.push_back(static_cast<float>(radius * std::sin(angle)));
    arms.push_back(arm);
  }
  return data::in_memory(
      {{"points", HostTensor::from(points, {options.num_points, 2}), "batch xy"},
       {"arms", HostTensor::from(arms, {options.num_points}), "batch"}},
      {.batch_size = 200, .seed = options.seed, .num_epochs = options.num_epochs});
}
