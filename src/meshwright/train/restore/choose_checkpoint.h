// SPDX-License-Identifier: Apache-2.0
// Chooses the checkpoint that a run continues from.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/train/report/run_folder.h"

namespace meshwright::train {

struct CheckpointChoiceOptions {
  /// Restores exactly this step. Defaults to the newest.
  std::optional<std::int64_t> step = {};
  /// Allow moving newer checkpoints aside.
  bool goes_back = false;
};

/// Restores the requested checkpoint of a run. Newer checkpoints are never overwritten: they are
/// moved aside if that is allowed; otherwise the run is refused. A run that has already reverted to
/// that step and has since been interrupted continues from its newest checkpoint instead of
/// reverting again.
class CheckpointChoice {
 public:
  /// `run` is the run's folder.
  CheckpointChoice(checkpoint::Manager& checkpoints,
                   Files run,
                   const CheckpointChoiceOptions& options);

  using Use = checkpoint::Manager::Use;

  /// Returns the step that was restored; nullopt if there is no checkpoint and none is requested.
  /// Throws no_checkpoint if the requested checkpoint is missing or damaged, already_exists if
  /// newer checkpoints are in the way, and whatever `take` throws.
  std::optional<std::int64_t> restore(const Use& take) const;
  /// Moves newer checkpoints aside and records that the run reverted, or reports that it did so
  /// before. Call this once the restored checkpoint, of step `restored`, has been found to match
  /// the job. `folder` is the run's folder.
  void leave_newer(const RunFolder& folder, std::int64_t restored) const;

 private:
  bool went_back_before() const { return step_gone_back_to(*run_) == options_.step; }
  std::int64_t restore_since(const Use& take) const;

  checkpoint::Manager& checkpoints_;
  Files run_;
  CheckpointChoiceOptions options_;
};

}  // namespace meshwright::train
