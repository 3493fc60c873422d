// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "meshwright/graph/core/program.h"
#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

struct RunProgram {
  std::string name;  // "step", "init" or "evaluators.NAME"
  graph::Program program;
};

/// Traces the programs of a run that starts from initial values. The step is the first.
std::vector<RunProgram> run_programs(const Job& job);

/// Throws invalid_argument unless the client's bundle holds the job's step, naming the keys of the
/// config that have changed since it was compiled.
void check_bundle(const Job& job, const runtime::Client& client);

}  // namespace meshwright::train
