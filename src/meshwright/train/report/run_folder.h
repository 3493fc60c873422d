// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/io/file_system.h"

namespace meshwright::train {

using Files = std::shared_ptr<io::FileSystem>;

/// Name of the file in a run's folder that records the step to which the user last reverted the
/// run. Checkpoints of later steps in the folder were saved after that.
inline constexpr const char* kWentBackTo = "went_back_to";
/// Returns the step in that file; nullopt if there is none.
std::optional<std::int64_t> step_gone_back_to(const io::FileSystem& run);

/// The folder of one run:
///       config.toml, trainer_state_tree.txt, params.txt   the config, state and parameters
///       config.N.toml                                     configs of earlier starts, oldest first
///       checkpoints/                                      see checkpoint::Manager
///       summaries/train_train, summaries/EVALUATOR        metrics for TensorBoard
///       metrics.jsonl                                     metrics as JSON lines
///       wandb/, wandb_id                                  metrics for Weights & Biases, if enabled
///       traces/                                           host phases of steps and evaluations
///       outputs/EVALUATOR/step_N.jsonl                    outputs of the model, by example
///       non_finite/step_N.txt                             arrays of a step that was not finite
///       went_back_to                                      a step, see step_gone_back_to()
///       run_id, lock                                      see id(); the process with the lock
/// Only one process at a time can hold the lock. It opens the folder once, so its files go to this
/// folder even if the folder is moved, and never to another folder of the same name.
class RunFolder {
 public:
  /// Creates, opens and locks the folder. Throws invalid_argument, with the path and cause, if it
  /// is not writable or `checkpoints` is not a folder, or if another process, named in the message,
  /// holds the lock.
  explicit RunFolder(const std::filesystem::path& path);

  /// The files of the run, including its checkpoints.
  const Files& files() const { return files_; }
  /// The files of the checkpoints. The first call opens their folder and keeps it open.
  Files checkpoints();
  /// Returns the full path of a file in the folder, or of the folder itself, at its last known
  /// location.
  std::string name(std::string_view file = "") const { return files_->full_name(file); }

  /// Returns the id of the run, which is stored in the manifests of its checkpoints. Copies of the
  /// folder share it. Created on first use.
  const std::string& id();

  /// Replaces a text file atomically. `name` may include a folder.
  void write_text(const std::string& name, std::string_view text) const;
  /// Moves the files of earlier runs, including checkpoints, into a folder earlier.N, which is
  /// itself a valid run folder. A run that starts from scratch deletes nothing.
  void set_earlier_runs_aside() const;
  /// Moves the named checkpoints into such a folder. Returns the folder's full path.
  std::string set_checkpoints_aside(const std::vector<std::string>& names) const;

  void record_step_gone_back_to(std::int64_t step) const;

  /// Returns whether the folder and its checkpoints are still in place, or what happened to the
  /// first one that is not.
  io::RootState state() const;
  /// Throws no_checkpoint, saying where the run can be continued, if the folder or its checkpoints
  /// were moved, removed or replaced, or if another process has locked it after the lock was
  /// removed.
  void check_in_place();
  /// For a run that found no checkpoint: throws no_checkpoint if the folder has one elsewhere, such
  /// as in a renamed `checkpoints`.
  void check_no_steps_elsewhere() const;

 private:
  void take_lock();
  void check_folders() const;
  io::RootState state_of_checkpoints() const;

  std::string path_;  // as passed to the constructor
  Files files_;
  Files checkpoints_;  // null until first used
  std::unique_ptr<io::FileLock> lock_;
  std::string id_;
};

}  // namespace meshwright::train
