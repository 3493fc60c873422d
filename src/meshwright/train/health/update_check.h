// SPDX-License-Identifier: Apache-2.0
// Detects silent data corruption: on sound hardware, computing an update twice gives identical
// bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/config/check.h"
#include "meshwright/config/type_of.h"
#include "meshwright/runtime/device_array.h"
#include "meshwright/train/step/step_runner.h"

namespace meshwright::train {

enum class OnDifference {
  warn,
  stop,  // end the run with exit code 6
};
inline config::Choices<OnDifference> config_choices(OnDifference) {
  return {{"warn", OnDifference::warn}, {"stop", OnDifference::stop}};
}

/// Settings of the check for silent data corruption.
struct SdcCheckConfig {
  std::optional<std::int64_t> every_n_steps;
  OnDifference action = OnDifference::warn;

  void fields(auto& f) {
    f.optional(
         "every_n_steps", every_n_steps, config::kPositive,
         "Interval between updates that are computed twice and compared bitwise. `none`: never.")
        .unit("steps");
    f.optional("action", action, "Action when the bits differ.");
  }
};

/// The results of an update, for a bitwise comparison.
struct UpdateBits {
  std::vector<float> metrics;
  /// Checksum of each device's shard of each state array.
  std::vector<std::vector<std::uint32_t>> state;
};

/// Waits for `results`, which must come from the update that produced the runner's current state,
/// and returns the bits.
UpdateBits bits_of(const StepRunner& runner, const StepResults& results);

/// Returns the differences as text: "loss 0.5 and 0.25; 2 of 9 arrays of the state: model/w (device
/// 3), ...". Empty if there are none. Devices are positions in the mesh; they are omitted if all
/// differ.
std::string difference(const UpdateBits& first,
                       const UpdateBits& second,
                       const std::vector<std::string>& metric_names,
                       const std::vector<std::string>& array_names);

}  // namespace meshwright::train
