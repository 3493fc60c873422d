// SPDX-License-Identifier: Apache-2.0
// An update that is computed twice gives the same bits, unless something is damaged on the way.
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
  stop,  // the run ends with exit code 6
};
inline config::Choices<OnDifference> config_choices(OnDifference) {
  return {{"warn", OnDifference::warn}, {"stop", OnDifference::stop}};
}

/// Silent damage of data: the same update is computed twice, and all bits are compared.
struct SdcCheckConfig {
  std::optional<std::int64_t> every_n_steps;
  OnDifference action = OnDifference::warn;

  void fields(auto& f) {
    f.optional("every_n_steps", every_n_steps, config::kPositive,
               "Compute one of every so many updates twice and compare all bits. `none`: never.")
        .unit("steps");
    f.optional("action", action, "What to do when the bits differ.");
  }
};

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
