// SPDX-License-Identifier: Apache-2.0
// The checkpoints of one run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/base/task_group.h"
#include "meshwright/checkpoint/contents.h"
#include "meshwright/checkpoint/format.h"
#include "meshwright/config/check.h"

namespace meshwright::checkpoint {

struct Retention {
  /// Of the committed checkpoints, the newest so many stay; absent: all do.
  std::optional<std::int64_t> keep_last_n = 3;
  /// Beside those, one stays whenever so many steps have passed since the last that did.
  std::optional<std::int64_t> keep_every_n_steps = {};

  void fields(auto& f) {
    f.optional("keep_last_n", keep_last_n, config::kPositive, "checkpoints; none: all of them");
    f.optional("keep_every_n_steps", keep_every_n_steps, config::kPositive,
               "keep one whenever so many steps have passed")
        .unit("steps");
  }
};

struct ManagerOptions {
  std::filesystem::path folder;
  /// A name of checkpoint/format.h.
  std::string format = "native";
  Retention retention = {};
  /// Nothing is made, removed or renamed: another process may be saving there. The folder may be
  /// absent.
  bool read_only = false;
  /// After so many saves in a row that failed, the next throws unavailable.
  int max_failed_saves = 3;
};

/// Saves in the background and restores the newest checkpoint that is undamaged. Used by one thread
/// and, as the run's lock sees to, one process.
class Manager {
 public:
  /// Makes the folder and takes back what an interrupted save left. Throws unavailable;
  /// invalid_argument where the checkpoints there are of another format.
  explicit Manager(ManagerOptions options);

  /// Waits for the save before; what is written afterwards is done by another thread. A save that
  /// fails is a warning, and older checkpoints stay as they are: training goes on and the next save
  /// may succeed.
  void save(Contents contents);
  /// Waits until the last save is committed or has failed.
  void wait();
  /// Whether a checkpoint of this step is committed. Waits.
  bool has(std::int64_t step);

  /// Committed steps in ascending order.
  std::vector<std::int64_t> steps() const;

  /// Takes what is wanted out of a checkpoint, which may be tried again and with another one.
  using Use = std::function<void(const Stored& stored)>;
  /// The newest checkpoint, at most of step `up_to`; returns its step, nothing if there is none.
  /// One that is damaged is a warning and set aside, and the one before it is taken. Throws
  /// no_checkpoint if there are checkpoints but all are damaged.
  std::optional<std::int64_t> use_newest(const Use& take, std::optional<std::int64_t> up_to = {});
  /// Exactly this one. Throws not_found, data_loss.
  void use(std::int64_t step, const Use& take) const;

  /// The same, with all of it in host memory.
  std::optional<Contents> restore_newest(std::optional<std::int64_t> up_to = {});
  Contents restore(std::int64_t step) const;

  /// Removes all checkpoints after `step`: the run goes back to it.
  void remove_after(std::int64_t step);

 private:
  std::vector<StepEntry> committed() const;
  void check_format() const;
  void apply_retention() const;

  ManagerOptions options_;
  Files files_;
  const Format& format_;
  TaskGroup writer_;
  std::int64_t writing_step_ = -1;
  int num_failed_ = 0;
};

/// Which of these steps, in ascending order, a retention lets go.
std::vector<std::int64_t> steps_to_remove(const std::vector<std::int64_t>& steps,
                                          const Retention& retention);

}  // namespace meshwright::checkpoint
