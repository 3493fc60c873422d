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

/// File in a run's folder with the step that the user made the run go back to. Checkpoints in the
/// folder are newer.
inline constexpr const char* kWentBackTo = "went_back_to";
/// Reads that file.
std::optional<std::int64_t> step_gone_back_to(const io::FileSystem& run);

/// The folder of one run:
///   config.toml, trainer_state_tree.txt, params.txt   what is trained, and how
///   config.N.toml                                     configs of earlier starts, the oldest is 1
///   checkpoints/                                      see checkpoint::Manager
///   summaries/train_train, summaries/EVALUATOR        for TensorBoard
///   metrics.jsonl                                     the same for programs
///   wandb/, wandb_id                                  the same for Weights & Biases, if asked to
///   traces/                                           host phases of traced steps and evaluations
///   outputs/EVALUATOR/step_N.jsonl                    what the model made of single examples
///   non_finite/step_N.txt                             arrays of a step that was not finite
///   went_back_to                                      a step, see step_gone_back_to()
///   run_id, lock                                      see id(); the process that holds it
/// Held by one process at a time, which opens it once: what it writes gets there even if the folder
/// is moved meanwhile, and never to another folder that took its name.
class RunFolder {
 public:
  /// Makes the folder, opens and locks it. Throws invalid_argument, with the path and cause, if
  /// nothing can be written there or `checkpoints` is no folder, and with the process that holds it
  /// if one does.
  explicit RunFolder(const std::filesystem::path& path);

  /// All files of the run, and those of its checkpoints.
  const Files& files() const { return files_; }
  /// The latter are held as well, from the first call on.
  Files checkpoints();
  /// Full path of a file in the folder, or of the folder itself: where it is now, as far as known.
  std::string name(std::string_view file = "") const { return files_->full_name(file); }

  /// Id of the run, which its checkpoints carry in their manifests. Copies of the folder share it.
  /// Created on first use.
  const std::string& id();

  /// Replaces a text file atomically. The name may include a folder.
  void write_text(const std::string& name, std::string_view text) const;
  /// Moves what earlier runs left, checkpoints above all, into a folder earlier.N, which is that of
  /// a run again: a run that begins anew destroys nothing.
  void set_earlier_runs_aside() const;
  /// Moves these of its checkpoints, by name, into such a folder. Returns its whole name.
  std::string set_checkpoints_aside(const std::vector<std::string>& names) const;

  void note_step_gone_back_to(std::int64_t step) const;

  /// Reports whether the folder and its checkpoints are still in place, or what became of the first
  /// that is not.
  io::RootState state() const;
  /// Throws no_checkpoint, which says where the run can be continued, if the folder or that of its
  /// checkpoints was moved, removed or replaced, or if another process has locked it since somebody
  /// removed the lock.
  void check_in_place();
  /// For a run that found no checkpoint. Throws no_checkpoint if one lies elsewhere in the folder,
  /// as in a renamed `checkpoints`.
  void check_no_steps_elsewhere() const;

 private:
  void take_lock();
  void check_folders() const;
  io::RootState state_of_checkpoints() const;

  std::string path_;  // as given
  Files files_;
  Files checkpoints_;  // absent until asked for
  std::unique_ptr<io::FileLock> lock_;
  std::string id_;
};

}  // namespace meshwright::train
