// SPDX-License-Identifier: Apache-2.0
// The interface of everything that can be opened as a checkpoint: the formats of runs (format.h),
// and files and folders that belong to no run.
//
// To add a container other than the format of a run: implement Container in containers/, extend the
// list in containers/all_containers.cc, and write the page docs/formats/NAME.md.
#pragma once

#include <cstdint>
#include <memory>
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

/// An entry in a folder of checkpoints that has the name of one.
struct CheckpointEntry {
  std::int64_t step = 0;
  std::string folder;  // relative to the root of the files
  /// True if its marker or its manifest exists, in any state.
  bool is_committed = false;
  /// False for a link, file or pipe, which is never followed or opened.
  bool is_folder = true;
};

/// Damage to a file of a checkpoint.
struct Damage {
  std::string file;  // full path
  std::string what;
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
  Structure structure = {};
};

struct WriteOptions {
  io::zarr::Compressor compressor = io::zarr::Compressor::none;
  int level = 1;
  /// Larger parts are split into several chunks, unless the format requires one chunk per part.
  std::int64_t max_chunk_bytes = std::int64_t{64} << 20;
  /// For containers of few files: arrays are distributed over files of at most this size. Larger
  /// arrays have a file of their own. 0: one file.
  std::int64_t max_file_bytes = 0;
  /// Index of this process among those that write the checkpoint. Process 0 begins and commits it.
  int process = 0;
  int num_processes = 1;
  /// Continues an interrupted attempt with the same plan and options: keeps its unfinished files,
  /// so that CheckpointWriter::keep() can take pieces from them. One process only.
  bool continues = false;
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
  /// Writes one of these pieces. Thread-safe.
  virtual void write(const std::string& array, const Part& piece) = 0;
  /// Makes the pieces written so far durable. Thread-safe.
  virtual void sync() {}
  /// Returns a line that describes how a written piece is stored, for keep() in a later attempt.
  /// Thread-safe.
  virtual std::string receipt(const std::string& /*array*/, const Ranges& /*piece*/) const {
    return {};
  }
  /// Takes a piece that an interrupted attempt has written and synced. Returns false if it has to
  /// be written again.
  virtual bool keep(const std::string& /*array*/,
                    const Ranges& /*piece*/,
                    const std::string& /*receipt*/) {
    return false;
  }
  /// Must be called after this process has written its last piece.
  virtual void finish() = 0;
  virtual void commit() = 0;
  /// Removes the files written so far, as far as possible.
  virtual void abandon() noexcept = 0;
};

/// Implementations are stateless and thread-safe. In addition to the errors below, functions throw
/// the errors of the file system, such as unavailable.
class Container {
 public:
  virtual ~Container() = default;

  /// The name that commands print and take: "safetensors".
  virtual std::string_view name() const = 0;
  /// True if this file or folder is such a checkpoint, damaged or not. Reads no more than names and
  /// the first bytes.
  virtual bool is_here(const Files& files, const std::string& path) const = 0;

  /// True if every file below this folder, at any depth, is one of its checkpoint.
  virtual bool owns_all_below(const Files& /*files*/, const std::string& /*folder*/) const {
    return false;
  }

  /// Returns the checkpoints in a folder of several, in ascending order of their steps.
  virtual std::vector<CheckpointEntry> list(const Files& /*files*/,
                                            const std::string& /*folder*/) const {
    return {};
  }

  /// Reads metadata but no elements. Throws data_loss if the checkpoint is damaged.
  virtual Stored open(const Files& files, const std::string& path) const = 0;
  /// Like open(), but also checks that the files of all arrays exist.
  virtual Stored inspect(const Files& files, const std::string& path) const;
  /// Reads everything, and returns all damage found.
  virtual std::vector<Damage> verify(const Files& files, const std::string& path) const;

  /// True if a checkpoint that this container writes keeps CheckpointPlan::structure.
  virtual bool keeps_structure() const { return false; }
  /// Returns the path of the checkpoint of a step that is written to `path`.
  virtual std::string result_of(const std::string& path, std::int64_t /*step*/) const {
    return path;
  }
  /// Starts writing a checkpoint to `path`. Throws invalid_argument if the container cannot
  /// represent it, and unimplemented if it can only be read.
  virtual std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                                  const std::string& path,
                                                  CheckpointPlan plan,
                                                  const WriteOptions& options) const;
};

}  // namespace meshwright::checkpoint
