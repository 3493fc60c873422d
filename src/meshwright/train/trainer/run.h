// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/runtime/client.h"
#include "meshwright/train/trainer/job.h"

namespace meshwright::train {

/// Trains, from the newest checkpoint in the run's folder if there is one. Throws the Error that
/// ends the run: numerics for values that are not finite, no_checkpoint, unavailable where trying
/// again may help. Handles signals while it runs, first as StartupSignals, from the first update on
/// as SignalWatch: then SIGTERM, SIGINT and SIGHUP save and return instead of ending the process.
Outcome run(const Job& job, const runtime::Client& client);
/// Trains on the CPU, with as many virtual devices as the job's mesh has.
Outcome run(const Job& job);

}  // namespace meshwright::train
