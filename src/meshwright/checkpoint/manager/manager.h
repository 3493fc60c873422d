// SPDX-License-Identifier: Apache-2.0
// The checkpoints of one run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/retention/retention.h"
#include "meshwright/checkpoint/run/readable.h"
#include "meshwright/checkpoint/save/background_saves.h"
#include "meshwright/checkpoint/save/foreign_layout.h"
#include "meshwright/checkpoint/save/pending_step.h"
#include "meshwright/checkpoint/save/save_options.h"
#include "meshwright/runtime/staging_pool.h"

namespace meshwright::checkpoint {

struct ManagerOptions {
  /// Of the checkpoints; not needed with `files`.
  std::filesystem::path folder = {};
  /// A name of checkpoint/format/format.h.
  std::string format = "native";
  Retention retention = {};
  SaveOptions saving = {};
  /// Returns the layout of the system that the format belongs to. Absent: the native one.
  std::function<ForeignLayout(std::string_view format)> foreign_layout = nullptr;
  /// Nothing is made, removed or renamed: another process may be saving there. The folder may be
  /// absent.
  bool read_only = false;
  /// Those below the folder of the checkpoints, which a run holds open; absent: of `folder`.
  Files files = nullptr;
  /// Stands in the manifests of what is saved; retention removes no step with the id of another
  /// run. Steps without one count as this run's own, as all do if this is absent.
  std::optional<std::string> run_id = {};
  /// Since 1970; absent: the system's clock.
  std::function<std::int64_t()> now_seconds = nullptr;
};

/// A state to be saved.
struct SaveRequest {
  std::int64_t step = 0;
  Tree<runtime::DeviceArray> arrays = {};
  Meta meta = {};
  /// The one of Retention::keep_best, if its evaluator ran.
  std::optional<double> metric = {};
  /// Not left out, however busy.
  bool must_save = false;
  /// Whether the next step can leave arrays alone that are held; else they are copied.
  bool may_hold = true;
};

/// Saves in the background and restores the newest checkpoint that is undamaged. Used by one thread
/// and, as the run's lock sees to, one process.
class Manager {
 public:
  /// Makes the folder and takes back what an interrupted save left. Throws unavailable;
  /// invalid_argument where the checkpoints there are of another format.
  explicit Manager(ManagerOptions options);
  /// Waits; what a save failed of that nobody asked about is a warning.
  ~Manager() = default;
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Takes a snapshot and returns; what follows is done by other threads. Afterwards arrays may be
  /// donated unless they are held (DeviceArray::is_held). While the save before is being written it
  /// waits, or leaves this one out and returns false. Throws what poll() throws.
  bool save(SaveRequest request);
  /// The same of values in host memory.
  void save(const Contents& contents);

  /// Between steps: takes note of a save that has ended. One that failed is a warning, and older
  /// checkpoints stay as they are: training goes on and the next save may succeed. Throws
  /// unavailable after SaveOptions::max_failed_saves in a row.
  void poll() { saves_.poll(); }
  bool is_saving() const { return saves_.is_running(); }
  /// Waits until the last save is committed or has failed.
  void wait() { saves_.wait(); }
  /// Before a run ends: waits. Throws unavailable if the last save failed, since what was computed
  /// since the one before is about to be lost.
  void finish() { saves_.finish(); }
  /// Whether a checkpoint of this step is committed. Waits.
  bool has(std::int64_t step);

  /// Committed steps in ascending order.
  std::vector<std::int64_t> steps() const;

  /// Takes what is wanted out of a checkpoint, which may be tried again and with another one.
  using Use = std::function<void(const Stored& stored)>;
  /// The newest checkpoint that can be read, at most of step `up_to`; returns its step. Newer ones
  /// that cannot are a warning, and those that are damaged are set aside. Nothing if there is no
  /// trace of checkpoints (find_trace). Throws no_checkpoint, and changes nothing, if there is one
  /// but nothing can be read, or if a newer one is of a later version or not accessible.
  std::optional<std::int64_t> use_newest(const Use& use, std::optional<std::int64_t> up_to = {});
  /// Exactly this one. Throws not_found, data_loss.
  void use(std::int64_t step, const Use& use) const;

  /// The same, with all of it in host memory.
  std::optional<Contents> restore_newest(std::optional<std::int64_t> up_to = {});
  Contents restore(std::int64_t step) const;

  /// Folders of the checkpoints after `step`, by name, for who moves them away.
  std::vector<std::string> folders_after(std::int64_t step) const;
  /// Removes the run's checkpoints after `step`: it goes back to it. Those that are pinned, damaged
  /// or not its own are set aside.
  void remove_after(std::int64_t step);

  /// Of snapshots.
  const runtime::StagingPool& staging() const { return staging_; }

 private:
  std::vector<StepEntry> committed() const;
  void take(const StepEntry& entry, const Use& use) const;
  /// What is wrong with it, if something is. Throws what `use` throws but for data_loss.
  std::optional<Flaw> try_to_take(const StepEntry& entry, const Use& use) const;
  void check_format() const;
  /// False: left out.
  bool make_way(std::int64_t step, bool must_save);
  runtime::Snapshot take_snapshot(const SaveRequest& request);
  void write(PendingStep step);

  ManagerOptions options_;
  Files files_;
  const Format& format_;
  ForeignLayout foreign_layout_;
  runtime::StagingPool staging_;
  Collector collector_;
  bool told_of_waiting_ = false;
  bool told_of_excess_ = false;
  BackgroundSaves saves_;  // last: what they use must outlive them
};

}  // namespace meshwright::checkpoint
