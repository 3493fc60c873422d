// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// A group of identical operations within one module.
struct StepPart {
  std::string what;    // the kernel, or the compiler's instructions
  std::string type;    // type of the result
  std::string module;  // "layers/mlp"; empty if unknown
  std::int64_t times = 0;
  double seconds = 0;  // total of all executions
  bool is_measured = false;
};

/// Breakdown of the time of a training step.
struct StepProfile {
  std::vector<double> step_seconds;
  double flops = 0;             // of matrix products, over all devices
  double alone_seconds = 0;     // total of all instructions, each run in isolation
  std::vector<StepPart> parts;  // most expensive first
  std::vector<graph::KernelChoice> kernel_choices;  // which ops became kernels, and why
  /// Instructions that cannot run in isolation.
  std::vector<std::string> untimed;

  double median_step_seconds() const;
  double kernel_seconds() const;
};

/// Starts from the state that a run would start from, executes `num_steps` steps on the first
/// batch, then executes as many again with kernel timing, which adds overhead. The total of the
/// kernels is capped at the step time. The times of all other instructions are scaled to fit the
/// remainder (runtime/op_times.h). Does not write any of the run's files. Throws what run() would
/// throw.
StepProfile profile_step(const Job& job, const runtime::Client& client, int num_steps);

}  // namespace meshwright::train
