// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/train/restore/choose_checkpoint.h"
#include "meshwright/train/restore/config_changes.h"
#include "meshwright/train/restore/state_builder.h"
#include "meshwright/train/step/step_runner.h"
#include "meshwright/train/trainer/job.h"
#include "meshwright/train/trainer/position.h"
#include "meshwright/train/trainer/run_parts.h"
#include "meshwright/train/trainer/session.h"

namespace meshwright::train {

/// Provides a run's state: from a checkpoint in its folder, from the job's StateBuilder, or initial
/// values. All arguments must outlive it.
class StartingState {
 public:
  /// Chooses between a checkpoint and a new state, and checks that it matches the job, before the
  /// step is compiled, which may take minutes. Reports keys that changed since the checkpoint.
  /// Throws invalid_argument or no_checkpoint if the run cannot start.
  StartingState(const Job& job, RunParts& parts, Session& session, const runtime::Client& client);

  /// Loads the chosen state onto the devices.
  Position load(StepRunner& runner);
  /// Rewinds to the newest checkpoint of step `last_good` or earlier, or to the start if there is
  /// none. Removes later checkpoints.
  Position go_back(StepRunner& runner, std::int64_t last_good);

  const std::vector<ConfigChange>& config_changes() const { return config_changes_; }

 private:
  CheckpointChoice choice();
  std::optional<Position> restore(StepRunner& runner);
  Position take(StepRunner& runner, const checkpoint::Stored& stored, bool resumes_data) const;
  Position begin_anew(StepRunner& runner);
  std::int64_t num_batches_used(const checkpoint::Stored& stored) const;

  const Job& job_;
  RunParts& parts_;
  Session& session_;
  runtime::Client client_;
  std::vector<ConfigChange> config_changes_;  // since the chosen checkpoint
  std::optional<BuildState> built_;           // by the job's builder, if no checkpoint was chosen
};

}  // namespace meshwright::train
