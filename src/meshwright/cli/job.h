// SPDX-License-Identifier: Apache-2.0
// Converts a config into a job for the trainer.
#pragma once

#include <span>

#include "meshwright/cli/client_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::cli {

/// Returns the job. Throws invalid_argument if parts of the config are incompatible with each other
/// or with the devices. With DataUse::spec_only, the sources have no batches.
train::Job make_job(const RunConfig& config,
                    std::span<const runtime::DeviceInfo> devices,
                    data::DataUse use = data::DataUse::batches);

}  // namespace meshwright::cli
