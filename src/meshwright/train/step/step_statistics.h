// SPDX-License-Identifier: Apache-2.0
// Finds the non-finite arrays of a step by computing the step again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/runtime/client.h"
#include "meshwright/train/step/step_program.h"

namespace meshwright::train {

/// Statistics of an array, or of one layer of an array of stacked layers.
struct ArrayStatistics {
  std::string path;
  std::optional<std::int64_t> layer;
  std::int64_t num_elements = 0;
  std::int64_t num_not_finite = 0;
  double rms = 0;      // of the finite elements
  double largest = 0;  // largest absolute value of the finite elements
};

struct StepStatistics {
  double loss = 0;
  /// Floating-point arrays only.
  std::vector<ArrayStatistics> params, gradients;
};

/// Inputs of a step: the leaves of the state's "model", its key, and the number of its batch in
/// `source`.
struct StepInputs {
  std::vector<runtime::DeviceArray> params;
  runtime::DeviceArray key;
  const data::Source& source;
  std::int64_t batch = 0;
};

/// Computes the statistics of a step. Compiles a program for it; does not change the state.
StepStatistics step_statistics(const runtime::Client& client,
                               const TrainingSetup& setup,
                               const StepInputs& step,
                               const StepOptions& options);

/// Returns a few lines for the console that name the non-finite arrays.
std::string not_finite_text(const StepStatistics& statistics);
/// Returns a table of all arrays, one line each.
std::string table_of(const StepStatistics& statistics);

}  // namespace meshwright::train
