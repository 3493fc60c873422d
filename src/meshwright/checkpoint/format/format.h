// SPDX-License-Identifier: Apache-2.0
// The interface of checkpoint formats. Managers and tools use formats only through it. For an
// overview of checkpoint/, see manager/manager.h.
//
// A format maps the checkpoint of a step to a folder within a run's folder, and reads and writes
// the files in it:
// - step_name() and find_step() convert between steps and folder names.
// - begin() returns a CheckpointWriter, with which one or several processes write and commit a
//   checkpoint.
// - open() returns handles to the arrays; inspect() also checks the files, and verify() reads all
//   of them.
// - is_committed() and has_trace() classify folders, including damaged and foreign ones.
//
// To add a format:
// - Write it in formats/ and add it to the list in formats/all_formats.cc. Configs, `ckpt` and the
//   detection of a run's format find it there.
// - If it stores zarr arrays, derive its writer from ManifestWriter (manifest_writer.h) and
//   describe the folders in a ZarrLayout; open_manifest() and verify_manifest() do most of the
//   reading.
// - If another program defines it and marks complete checkpoints with a file, derive from
//   InPlaceFormat (formats/in_place.h) and implement the parts that differ. It must open that
//   program's checkpoints.
// - Write the page docs/formats/NAME.md.
// - Add files written by the original program to tests/golden. The tests of all formats take it
//   from format_names(): formats_test.cc, crash_test.cc, readable_test.cc and others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/base/tree.h"
#include "meshwright/checkpoint/contents/contents.h"
#include "meshwright/checkpoint/contents/stored.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::checkpoint {

using Files = std::shared_ptr<io::FileSystem>;

/// An entry in a run's folder that has the name of a checkpoint.
struct CheckpointEntry {
  std::int64_t step = 0;
  std::string folder;  // relative to the root of the files
  /// True if its marker or its manifest exists, in any state.
  bool is_committed = false;
  /// False for a link, file or pipe, which is never followed or opened.
  bool is_folder = true;
};

/// Description of an array in a checkpoint. Every process knows it before writing its parts.
struct ArrayPlan {
  ArrayType type;
  Dims part;  // sizes of its equal parts, at least 1 each
  /// True if the system that owns the format does not know the array, which is then stored where
  /// that system does not look.
  bool is_own = false;
};
struct CheckpointPlan {
  std::int64_t step = 0;
  Tree<ArrayPlan> arrays;
  Meta meta;
  /// The id of the run that saves the checkpoint; empty if unknown.
  std::string run = {};
  /// Must be empty for formats that cannot store them.
  std::vector<IteratorState> iterators = {};
};

struct WriteOptions {
  io::zarr::Compressor compressor = io::zarr::Compressor::none;
  int level = 1;
  /// Larger parts are split into several chunks, unless the format requires one chunk per part.
  std::int64_t max_chunk_bytes = std::int64_t{64} << 20;
  /// Index of this process among those that write the checkpoint. Process 0 begins and commits it.
  int process = 0;
  int num_processes = 1;
};

/// Writes one checkpoint. Order of calls: process 0 creates its writer; a barrier; the other
/// processes create theirs; each writes its parts and calls finish(); a barrier; process 0 calls
/// commit(). The checkpoint becomes visible when commit() returns; until then an earlier one of the
/// same step is untouched.
class CheckpointWriter {
 public:
  /// Without a commit, leaves an unfinished checkpoint.
  virtual ~CheckpointWriter() = default;

  /// Returns the pieces into which a part of an array must be split for write().
  virtual std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const = 0;
  /// Writes one of these pieces durably. Thread-safe.
  virtual void write(const std::string& array, const Part& piece) = 0;
  /// Must be called after this process has written its last piece.
  virtual void finish() = 0;
  virtual void commit() = 0;
  /// Removes the files written so far, as far as possible.
  virtual void abandon() noexcept = 0;
};

/// Damage to a file of a checkpoint.
struct Damage {
  std::string file;  // full path
  std::string what;
};

/// Interface of a format. Implementations are stateless and thread-safe. In addition to the errors
/// below, functions throw the errors of the file system, such as unavailable.
class Format {
 public:
  virtual ~Format() = default;

  /// Returns the value of checkpoint.format in configs: "native".
  virtual std::string_view name() const = 0;
  /// Returns the name of a step's folder: "step_00000012". Throws invalid_argument if the format
  /// has no name for the step.
  virtual std::string step_name(std::int64_t step) const = 0;
  /// Returns the step that a folder name denotes; nullopt for other names.
  virtual std::optional<std::int64_t> find_step(std::string_view folder_name) const = 0;

  /// True for the folder of a checkpoint in this format, committed or not. The format named in a
  /// readable manifest decides; otherwise the files do.
  bool is_step(const Files& files, const std::string& folder) const;
  /// True if a folder holds files that only checkpoints of this format have. Opens none of them.
  virtual bool has_trace(const Files& files, const std::string& folder) const {
    return has_step_files(files, folder);
  }
  /// True if the checkpoint was committed, even if it was damaged later.
  virtual bool is_committed(const Files& files, const std::string& folder) const = 0;

  /// Reads metadata but no elements. Throws data_loss if the checkpoint is damaged.
  virtual Stored open(const Files& files, const std::string& folder) const = 0;
  /// Like open(), but also checks that all files exist: each file in the manifest must be a plain
  /// file of its recorded size. Without a manifest, each array must have its metadata.
  virtual Stored inspect(const Files& files, const std::string& folder) const = 0;
  /// Reads everything that open() does not, and returns all damage found.
  virtual std::vector<Damage> verify(const Files& files, const std::string& folder) const = 0;

  /// Starts writing a checkpoint into the folder of a run. Throws invalid_argument if the format
  /// cannot represent it.
  virtual std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                                  const std::string& run,
                                                  CheckpointPlan plan,
                                                  const WriteOptions& options) const = 0;
  /// Removes a checkpoint. A partly removed one never looks complete.
  virtual void remove(const Files& files, const std::string& folder) const = 0;

 private:
  /// True if a folder without a readable manifest holds the files of a checkpoint in this format.
  virtual bool has_step_files(const Files& files, const std::string& folder) const = 0;
};

}  // namespace meshwright::checkpoint
