// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/pjrt/executable.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Summary of a run that was not started.
struct DryRun {
  std::string params;  // table of parameters, see describe_params()
  std::int64_t num_params = 0;
  int num_devices = 1;
  std::int64_t state_bytes = 0;             // parameters and optimizer slots, each counted once
  std::int64_t state_bytes_per_device = 0;  // after sharding
  std::int64_t batch_bytes = 0;
  double flops_per_step = 0;  // of matrix products, over all devices
  /// Step of the checkpoint that the run would continue from. If absent, the run would start
  /// from scratch.
  std::optional<std::int64_t> restored_step;
  double compile_seconds = 0;
  bool is_from_cache = false;
  /// Memory per device during a step. Absent if the plugin does not report it.
  std::optional<pjrt::CompiledMemoryStats> memory;
};

/// Does everything that a run does before its first step except initialising the state: checks that
/// the run can start, traces and compiles the step, traces every evaluator. Writes no file of the
/// run. Throws what run() would throw.
DryRun dry_run(const Job& job, const runtime::Client& client);

}  // namespace meshwright::train
