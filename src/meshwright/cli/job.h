// SPDX-License-Identifier: Apache-2.0
// Converts a config into a job for the trainer.
#pragma once

#include <span>

#include "meshwright/cli/client_args.h"
#include "meshwright/cli/run_config.h"
#include "meshwright/train/trainer/run.h"

namespace meshwright::cli {

/// Returns the job. Throws invalid_argument if parts of the config are incompatible with each other
/// or with the devices.
train::Job make_job(const RunConfig& config, std::span<const runtime::DeviceInfo> devices);
/// As above, with data that open_data() has opened.
train::Job make_job(const RunConfig& config,
                    std::span<const runtime::DeviceInfo> devices,
                    const data::RunData& data);

/// A job that was made without reading its data.
struct JobWithoutData {
  train::Job job;  // its sources have no batches
  /// True if durations are in epochs, so that the schedules are those of an arbitrary length.
  bool depends_on_epochs = false;
};
JobWithoutData make_job_without_data(const RunConfig& config,
                                     std::span<const runtime::DeviceInfo> devices);

/// Opens the state shared by the sources of the config's run. With DataUse::spec_only, sources have
/// no batches.
data::RunData open_data(const RunConfig& config, data::DataUse use);

}  // namespace meshwright::cli
