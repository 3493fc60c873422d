// SPDX-License-Identifier: Apache-2.0
// The checkpoints of one run: the entry point of checkpoint/.
//
// The contents of a checkpoint (contents/) are a tree of arrays, small values (Meta), and iterator
// states of other systems. Arrays in memory are split into the parts that the devices hold. Stored
// is the handle to a checkpoint on disk: it knows the names and types of the arrays and reads
// elements on demand.
//
// A Format (format/format.h) defines how a checkpoint is stored in a folder: the native format,
// AXLearn's or seqax's. Whatever the format, Meshwright adds a manifest (format/manifest.h) with
// the checksums of all files, the run's own names of the arrays, and Meta. A checkpoint that
// another system wrote has no manifest; it can still be opened, with fewer checks. A ForeignLayout
// (save/foreign_layout.h) maps the names and layouts of the arrays to those of another system.
//
// The commit protocol. Processes write and sync their files in a folder unfinished-NAME; then the
// first process writes the manifest and renames the folder to NAME. So a folder with the name of a
// checkpoint is complete, or was complete and has been damaged since. Replacing and removing a
// checkpoint also go through renames (format/step_folders.h). recover() cleans up after a crash at
// any point. On storage that cannot rename, a marker file written last replaces the rename.
//
// A run's folder has its checkpoints in checkpoints/ (run/run_files.h), one folder per step. A
// checkpoint is readable if its metadata parses and all its files have their recorded sizes
// (run/readable.h). Retention (retention/retention.h) counts only readable checkpoints of this run
// and never deletes pinned ones, or those of other runs or systems. Damaged checkpoints are set
// aside, not deleted.
//
// The Manager ties these together for one run: save() takes a snapshot and writes it on other
// threads, read_newest_with() restores, and after each commit the retention rules are applied.
//
//   checkpoint::Manager manager({.folder = "runs/a/checkpoints"});
//   manager.read_newest_with([&](const checkpoint::Stored& stored) { ... });  // at start
//   manager.save({.step = step, .arrays = state});                      // at a boundary
//   manager.poll();                                                     // between steps
//   manager.finish();                                                   // at the end
//
// To add a format, see format/format.h.
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
#include "meshwright/checkpoint/save/pending_checkpoint.h"
#include "meshwright/checkpoint/save/save_options.h"
#include "meshwright/runtime/staging_pool.h"

namespace meshwright::checkpoint {

struct ManagerOptions {
  /// Folder of the checkpoints; ignored if `files` is set.
  std::filesystem::path folder = {};
  /// Name of a format (formats/all_formats.h).
  std::string format = "native";
  Retention retention = {};
  SaveOptions saving = {};
  /// Returns the layout of the system that the format belongs to. Defaults to the native one.
  std::function<ForeignLayout(std::string_view format)> foreign_layout = nullptr;
  /// Create, remove and rename nothing, since another process may be saving. The folder may be
  /// absent.
  bool read_only = false;
  /// The files below the folder of the checkpoints, if the run already holds it open. Defaults
  /// to the files below `folder`.
  Files files = nullptr;
  /// Written into the manifests of saved checkpoints. Retention deletes no checkpoint with the id
  /// of another run. Checkpoints without an id count as this run's own; if this is absent, all do.
  std::optional<std::string> run_id = {};
  /// Seconds since 1970. Defaults to the system's clock.
  std::function<std::int64_t()> now_seconds = nullptr;
};

/// A state to be saved.
struct SaveRequest {
  std::int64_t step = 0;
  Tree<runtime::DeviceArray> arrays = {};
  Meta meta = {};
  /// Value of the metric of Retention::keep_best, if its evaluator ran.
  std::optional<double> metric = {};
  /// Do not skip the save, even if an earlier one is running.
  bool must_save = false;
  /// True if the next step can leave held arrays unchanged; otherwise they are copied.
  bool may_hold = true;
};

/// Saves in the background and restores the newest intact checkpoint. Not thread-safe; only one
/// process may use it, which the run's lock ensures.
class Manager {
 public:
  /// Creates the folder and cleans up after an interrupted save. Throws unavailable if the storage
  /// fails, and invalid_argument if the existing checkpoints have another format.
  explicit Manager(ManagerOptions options);
  /// Waits for a save in progress. A failed save that has not been reported causes a warning.
  ~Manager() = default;
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  /// Takes a snapshot and returns; other threads write it. After that, arrays may be donated unless
  /// they are held (DeviceArray::is_held). If the previous save is still being written, waits, or
  /// skips this one and returns false. Throws the errors of poll().
  bool save(SaveRequest request);
  /// Saves values that are in host memory.
  void save(const Contents& contents);

  /// Collects a save that has ended; call this between steps. A failure only causes a warning:
  /// older checkpoints are untouched, training continues and the next save may succeed. Throws
  /// unavailable after SaveOptions::max_failed_saves consecutive failures.
  void poll() { saves_.poll(); }
  bool is_saving() const { return saves_.is_running(); }
  /// Waits until the last save is committed or has failed.
  void wait() { saves_.wait(); }
  /// Waits for the last save; call this before a run ends. Throws unavailable if the last save
  /// failed, because all results after the previous one would be lost.
  void finish() { saves_.finish(); }
  /// True if a checkpoint of this step is committed. Waits for a save in progress.
  bool has(std::int64_t step);

  /// Returns the committed steps in ascending order.
  std::vector<std::int64_t> steps() const;

  /// Reads what the caller needs from a checkpoint. May be called several times, with different
  /// checkpoints.
  using Use = std::function<void(const Stored& stored)>;
  /// Calls `use` with the newest readable checkpoint whose step is at most `up_to`, and returns
  /// that step. Newer checkpoints that are unreadable cause a warning, and damaged ones are set
  /// aside. Returns nullopt if there is no trace of checkpoints (find_trace()). Throws
  /// no_checkpoint, without changing anything, if there are checkpoints but none is readable, or if
  /// a newer one comes from a later version or is not accessible.
  std::optional<std::int64_t> read_newest_with(const Use& use,
                                               std::optional<std::int64_t> up_to = {});
  /// Calls `use` with the checkpoint of this step. Throws not_found if there is none, and data_loss
  /// if it is damaged.
  void read_with(std::int64_t step, const Use& use) const;

  /// Like read_newest_with() and read_with(), but return all contents in host memory.
  std::optional<Contents> restore_newest(std::optional<std::int64_t> up_to = {});
  Contents restore(std::int64_t step) const;

  /// Returns the folder names of the checkpoints after `step`, for callers that move them aside.
  std::vector<std::string> folders_after(std::int64_t step) const;
  /// Removes the run's checkpoints after `step`, for a run that goes back to it. Pinned, damaged
  /// and foreign ones are set aside.
  void remove_after(std::int64_t step);

  /// The pool of host memory for snapshots.
  const runtime::StagingPool& staging() const { return staging_; }

 private:
  std::vector<CheckpointEntry> committed() const;
  void take(const CheckpointEntry& entry, const Use& use) const;
  /// Returns the checkpoint's flaw, if any. Throws what `use` throws except data_loss.
  std::optional<Flaw> try_to_take(const CheckpointEntry& entry, const Use& use) const;
  void check_format() const;
  /// Waits for a running save; returns false if this save is to be skipped.
  bool make_way(std::int64_t step, bool must_save);
  runtime::Snapshot take_snapshot(const SaveRequest& request);
  void write(PendingCheckpoint step);

  ManagerOptions options_;
  Files files_;
  const Format& format_;
  ForeignLayout foreign_layout_;
  runtime::StagingPool staging_;
  Collector collector_;
  bool told_of_waiting_ = false;
  bool told_of_excess_ = false;
  BackgroundSaves saves_;  // last member: the members it uses must outlive it
};

}  // namespace meshwright::checkpoint
