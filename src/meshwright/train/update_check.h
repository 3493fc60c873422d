// SPDX-License-Identifier: Apache-2.0
// An update that is computed twice gives the same bits, unless something is damaged on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/runtime/device_array.h"
#include "meshwright/train/step_runner.h"

namespace meshwright::train {

/// What an update gave, by its bits.
struct UpdateBits {
  std::vector<float> metrics;
  /// A checksum of what each device holds of each array of the state.
  std::vector<std::vector<std::uint32_t>> state;
};

/// Waits for them. `results`: those of the update after which the runner has its state.
UpdateBits bits_of(const StepRunner& runner, const StepResults& results);

/// How they differ, empty if they do not: "loss 0.5 and 0.25; 2 of 9 arrays of the state: model/w
/// (device 3), ...". Where several devices are named, those of the mesh by position.
std::string difference(const UpdateBits& first,
                       const UpdateBits& second,
                       const std::vector<std::string>& metric_names,
                       const std::vector<std::string>& array_names);

}  // namespace meshwright::train
