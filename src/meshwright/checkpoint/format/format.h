// SPDX-License-Identifier: Apache-2.0
// A way to lay out checkpoints in files. All that differs from one system to another is behind this
// interface; managers and tools know no format by name.
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

/// What has the name of a step in a run's folder.
struct StepEntry {
  std::int64_t step = 0;
  std::string folder;  // from the root of the files
  /// Its marker or its manifest is there, in whatever state.
  bool is_committed = false;
  /// False for a link, file or pipe, which is never followed or opened.
  bool is_folder = true;
};

/// What a step is going to hold, known to every process before it writes its parts.
struct ArrayPlan {
  ArrayType type;
  Dims part;  // sizes of the equal parts it comes in, at least 1 each
  /// Unknown to the system in whose names the others are: kept beside what it looks at.
  bool is_own = false;
};
struct StepPlan {
  std::int64_t step = 0;
  Tree<ArrayPlan> arrays;
  Meta meta;
  /// The id of the run that saves it; empty if unknown.
  std::string run = {};
  /// For formats that have room for them.
  std::vector<IteratorState> iterators = {};
};

struct WriteOptions {
  io::zarr::Compressor compressor = io::zarr::Compressor::none;
  int level = 1;
  /// Larger parts are stored in several pieces, where a format does not say that a part is one.
  std::int64_t max_chunk_bytes = std::int64_t{64} << 20;
  /// Of the processes that write this step; the first one begins and commits it.
  int process = 0;
  int num_processes = 1;
};

/// One step being written. The order is: the first process makes its writer; a barrier; the others
/// make theirs; each writes its parts and calls finish(); a barrier; the first calls commit().
/// Until commit() has returned the step does not exist, and one of the same number that was there
/// before is as it was.
class StepWriter {
 public:
  /// Without a commit, leaves an unfinished step.
  virtual ~StepWriter() = default;

  /// How a part of an array is cut for write().
  virtual std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const = 0;
  /// Writes one of those pieces, durably. Several threads may write at once.
  virtual void write(const std::string& array, const Part& piece) = 0;
  /// After the last piece of this process.
  virtual void finish() = 0;
  virtual void commit() = 0;
  /// Removes what was written, as far as that works.
  virtual void abandon() noexcept = 0;
};

/// What is wrong with a file of a checkpoint.
struct Damage {
  std::string file;  // full name
  std::string what;
};

/// Throws, besides what is said, unavailable and the like as the files do.
class Format {
 public:
  virtual ~Format() = default;

  /// "native": as in checkpoint.format.
  virtual std::string_view name() const = 0;
  /// "step_00000012": the folder of a step in that of its run. Throws invalid_argument.
  virtual std::string step_name(std::int64_t step) const = 0;
  /// The inverse; nothing for other names.
  virtual std::optional<std::int64_t> find_step(std::string_view folder_name) const = 0;

  /// Returns true for the folder of a step in this format, committed or not. A readable manifest
  /// decides by the format that it names; otherwise the files do.
  bool is_step(const Files& files, const std::string& folder) const;
  /// Returns true if a folder holds files that only steps of this format have. Opens none of them.
  virtual bool has_trace(const Files& files, const std::string& folder) const {
    return has_step_files(files, folder);
  }
  /// Whether the folder of a step once was complete: damaged later is committed too.
  virtual bool is_committed(const Files& files, const std::string& folder) const = 0;

  /// Reads what there is, not the elements. Throws data_loss.
  virtual Stored open(const Files& files, const std::string& folder) const = 0;
  /// The same, and looks whether all its files are there: each that the manifest lists must be a
  /// plain file of its size. Without a manifest, each array must have its metadata.
  virtual Stored inspect(const Files& files, const std::string& folder) const = 0;
  /// Reads all that open() leaves and names everything that is wrong, or nothing.
  virtual std::vector<Damage> verify(const Files& files, const std::string& folder) const = 0;

  /// Begins to write a step into the folder of a run. Throws invalid_argument for what the format
  /// cannot hold.
  virtual std::unique_ptr<StepWriter> begin(const Files& files,
                                            const std::string& run,
                                            StepPlan plan,
                                            const WriteOptions& options) const = 0;
  /// Removes a step so that at no moment a half removed one looks whole.
  virtual void remove(const Files& files, const std::string& folder) const = 0;

 private:
  /// Whether a folder without a readable manifest is a step of this format, by its files.
  virtual bool has_step_files(const Files& files, const std::string& folder) const = 0;
};

}  // namespace meshwright::checkpoint
