// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/cli/run_config.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::cli {

/// Throws the errors of schedules, intervals, parameter groups and evaluators that the job has
/// whatever the length of an epoch is. Text must be tokenized to know that length. `job` needs no
/// learner yet.
void check_for_any_epoch(const RunConfig& config, train::Job job);

}  // namespace meshwright::cli
