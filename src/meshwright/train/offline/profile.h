// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Equal work within one module.
struct StepPart {
  std::string what;    // the kernel, or the instructions of the compiler
  std::string type;    // of the result
  std::string module;  // "layers/mlp", if that is known
  std::int64_t times = 0;
  double seconds = 0;  // of all of them
  bool is_measured = false;
};

/// Where the time of a training step goes.
struct StepProfile {
  std::vector<double> step_seconds;
  double flops = 0;                                 // of matrix products, over all devices
  double alone_seconds = 0;                         // of all instructions, each by itself
  std::vector<StepPart> parts;                      // the costliest first
  std::vector<graph::KernelChoice> kernel_choices;  // which ops became kernels, and why
  /// Instructions that do not run alone.
  std::vector<std::string> untimed;

  double median_step_seconds() const;
  double kernel_seconds() const;
};

/// Trains so many steps on the first batch, from the state that a run would begin with, and as many
/// to time the kernels, since that costs a little too; together they take the step at most. All
/// that is no kernel is scaled to what they leave of the step (runtime/op_times.h). Touches no file
/// of the run. Throws as a run would.
StepProfile profile_step(const Job& job, const runtime::Client& client, int num_steps);

}  // namespace meshwright::train
