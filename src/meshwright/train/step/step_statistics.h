// SPDX-License-Identifier: Apache-2.0
// What of a step is not finite, found by computing it once more.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

/// Numbers about one array, or about one layer of an array of stacked layers.
struct ArrayStatistics {
  std::string path;
  std::optional<std::int64_t> layer;
  std::int64_t num_elements = 0;
  std::int64_t num_not_finite = 0;
  double rms = 0;      // of those that are finite
  double largest = 0;  // of the same, whatever the sign
};

struct StepStatistics {
  double loss = 0;
  /// Of floats only.
  std::vector<ArrayStatistics> params, gradients;
};

/// A step before it is done: the leaves of the state's "model", its key, and its batch of the
/// source.
struct StepInputs {
  std::vector<runtime::DeviceArray> params;
  runtime::DeviceArray key;
  const data::Source& source;
  std::int64_t batch = 0;
};

/// Of such a step. Compiles a program for it, and changes nothing.
StepStatistics step_statistics(const runtime::Client& client,
                               const TrainingSetup& setup,
                               const StepInputs& step,
                               const StepOptions& options);

/// Some lines for people: what is not finite.
std::string not_finite_text(const StepStatistics& statistics);
/// All arrays, one line each.
std::string table_of(const StepStatistics& statistics);

}  // namespace meshwright::train
