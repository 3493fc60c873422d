// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "meshwright/pjrt/executable.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// What a run would consist of.
struct DryRun {
  std::string params;  // the table of parameters, see describe_params
  std::int64_t num_params = 0;
  int num_devices = 1;
  std::int64_t state_bytes = 0;             // of parameters and slots of optimizers, each once
  std::int64_t state_bytes_per_device = 0;  // as they lie on the mesh
  std::int64_t batch_bytes = 0;
  double flops_per_step = 0;  // of matrix products, over all devices
  /// Of the checkpoint from which it would go on; absent: it would begin anew.
  std::optional<std::int64_t> restored_step;
  double compile_seconds = 0;
  bool is_from_cache = false;
  /// Bytes per device while a step is computed; absent where the plugin does not tell.
  std::optional<pjrt::CompiledMemoryStats> memory;
};

/// Does everything that a run does before its first step but for making a state: looks whether it
/// can begin with what is there, traces and compiles the step, traces every evaluator. Touches no
/// file of the run. Throws as a run would.
DryRun dry_run(const Job& job, const runtime::Client& client);

}  // namespace meshwright::train
