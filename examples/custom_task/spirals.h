// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <meshwright/data/core/in_memory.h>

struct SpiralOptions {
  std::int64_t num_points = 0;
  unsigned seed = 0;
  std::optional<std::int64_t> num_epochs = {};  // absent: endless
};

/// Returns batches of 200 points f32[batch, 2] on three spirals, with the number of each point's
/// spiral.
meshwright::data::SourcePtr spirals(const SpiralOptions& options);
