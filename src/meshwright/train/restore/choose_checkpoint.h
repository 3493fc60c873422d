// SPDX-License-Identifier: Apache-2.0
// Chooses the checkpoint that a run continues from.
#pragma once

#include <cstdint>
#include <optional>

#include "meshwright/checkpoint/manager/manager.h"
#include "meshwright/train/report/run_folder.h"

namespace meshwright::train {

struct StepRestoreOptions {
  /// Restore exactly this step. Absent: the newest.
  std::optional<std::int64_t> step = {};
  /// Allow moving newer checkpoints away.
  bool goes_back = false;
};

/// Restores one step of a run by will. Newer checkpoints are never written over: they are moved
/// aside if that is allowed, else the run is refused. A run that went back to the step before, and
/// was interrupted since, goes on where it was instead of going back again.
class StepRestorer {
 public:
  /// Of the run whose folder `run` is.
  StepRestorer(checkpoint::Manager& checkpoints, Files run, const StepRestoreOptions& options);

  using Use = checkpoint::Manager::Use;

  /// The step that was taken; nothing if there is no checkpoint and none is asked for. Throws
  /// no_checkpoint if the step that is asked for is not there or damaged, already_exists for newer
  /// ones in the way, and what `take` throws.
  std::optional<std::int64_t> restore(const Use& take) const;
  /// Moves aside what is newer and remembers that the run went back, or says that it did before.
  /// For when `restored`, the step that was taken, has proved to fit. `folder` is that of the run.
  void leave_newer(const RunFolder& folder, std::int64_t restored) const;

 private:
  bool went_back_before() const { return step_gone_back_to(*run_) == options_.step; }
  std::int64_t restore_since(const Use& take) const;

  checkpoint::Manager& checkpoints_;
  Files run_;
  StepRestoreOptions options_;
};

}  // namespace meshwright::train
