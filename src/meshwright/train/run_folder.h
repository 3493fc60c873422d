// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace meshwright::train {

/// Where the checkpoints of a run are whose folder this is.
inline std::filesystem::path run_checkpoints(const std::filesystem::path& folder) {
  return folder / "checkpoints";
}

/// Tells which step that run went back to.
inline std::filesystem::path run_went_back_to(const std::filesystem::path& folder) {
  return folder / "went_back_to";
}
/// The step that a run went back to, by will; the checkpoints that are here came after it.
std::optional<std::int64_t> step_gone_back_to(const std::filesystem::path& folder);

/// The folder of one run:
///   config.toml, trainer_state_tree.txt, params.txt   what is trained, and how
///   checkpoints/                                      see checkpoint::Manager
///   summaries/train_train, summaries/EVALUATOR        for TensorBoard
///   metrics.jsonl                                     the same for programs
///   wandb/, wandb_id                                  the same for Weights & Biases, if asked to
///   traces/                                           host phases of traced steps and evaluations
///   outputs/EVALUATOR/step_N.jsonl                    what the model made of single examples
///   non_finite/step_N.txt                             arrays of a step that was not finite
///   went_back_to                                      a step, see step_gone_back_to()
/// Held by one process at a time.
class RunFolder {
 public:
  /// Makes the folder and locks it. Throws invalid_argument, with the path and cause, if nothing
  /// can be written there, and with the process that holds it if one does.
  explicit RunFolder(std::filesystem::path path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path checkpoints() const { return run_checkpoints(path_); }
  std::filesystem::path summaries(std::string_view of) const { return path_ / "summaries" / of; }

  std::filesystem::path trace(std::string_view of) const {
    return path_ / "traces" / (std::string(of) + ".json");
  }

  /// Replaces a text file in one piece; the name may have a folder in front.
  void write_text(const std::string& name, std::string_view text) const;
  /// Moves what earlier runs left, checkpoints above all, into a folder earlier.N, which is that of
  /// a run again: a run that begins anew destroys nothing.
  void set_earlier_runs_aside() const;
  /// Moves these checkpoints into such a folder. Returns it.
  std::filesystem::path set_checkpoints_aside(
      const std::vector<std::filesystem::path>& folders) const;

  void note_step_gone_back_to(std::int64_t step) const;

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace meshwright::train
