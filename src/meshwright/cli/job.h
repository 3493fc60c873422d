// SPDX-License-Identifier: Apache-2.0
// Turns a config into the trainer's job.
#pragma once

#include <span>

#include "meshwright/cli/client_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::cli {

/// Returns the job. Throws invalid_argument if parts of the config do not fit each other or the
/// devices.
train::Job make_job(const RunConfig& config, std::span<const runtime::DeviceInfo> devices);

}  // namespace meshwright::cli
