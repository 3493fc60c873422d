// SPDX-License-Identifier: Apache-2.0
// Estimates of a training step on machines that need not exist.
#pragma once

#include <cstdint>
#include <vector>

#include "meshwright/estimate/memory.h"
#include "meshwright/estimate/step_time.h"
#include "meshwright/estimate/traffic.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Bytes on each device, by what they are for.
struct PlannedMemory {
  std::int64_t params = 0, optimizer = 0, batch = 0;
  // Temporary arrays when most memory is in use: gradients and others with the shape of a
  // parameter, values that loops over layers keep for the backward pass, and the rest.
  std::int64_t gradients = 0, kept = 0, working = 0;

  std::int64_t total() const { return params + optimizer + batch + gradients + kept + working; }
};

struct StepEstimate {
  PlannedMemory memory;
  std::vector<estimate::LiveArray> at_peak;  // temporary arrays, largest first
  std::vector<estimate::Traffic> traffic;
  estimate::StepTime time;
};

/// Traces the job's step and estimates it.
StepEstimate estimate_step(const Job& job, const estimate::Machine& machine);

}  // namespace meshwright::train
