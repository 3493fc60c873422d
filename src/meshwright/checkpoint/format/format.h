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
#include "meshwright/checkpoint/format/container.h"
#include "meshwright/io/file_system.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::checkpoint {

/// Interface of a format: a container in which runs save. Its name is also the value of
/// checkpoint.format in configs.
class Format : public Container {
 public:
  bool keeps_structure() const override { return true; }  // in the manifest
  /// Returns the name of a step's folder: "step_00000012". Throws invalid_argument if the format
  /// has no name for the step.
  virtual std::string step_name(std::int64_t step) const = 0;
  std::string result_of(const std::string& run, std::int64_t step) const final {
    return io::join_path(run, step_name(step));
  }
  /// Returns the step that a folder name denotes; nullopt for other names.
  virtual std::optional<std::int64_t> find_step(std::string_view folder_name) const = 0;

  /// True for the folder of a checkpoint in this format, committed or not. The format named in a
  /// readable manifest decides; otherwise the files do.
  bool is_here(const Files& files, const std::string& folder) const final;
  /// True if a folder holds files that only checkpoints of this format have. Opens none of them.
  virtual bool has_trace(const Files& files, const std::string& folder) const {
    return has_step_files(files, folder);
  }
  /// True if the checkpoint was committed, even if it was damaged later.
  virtual bool is_committed(const Files& files, const std::string& folder) const = 0;

  /// Like open(), but also checks that all files exist: each file in the manifest must be a plain
  /// file of its recorded size. Without a manifest, each array must have its metadata.
  Stored inspect(const Files& files, const std::string& folder) const override = 0;
  /// Reads everything that open() does not, and returns all damage found.
  std::vector<Damage> verify(const Files& files, const std::string& folder) const override = 0;

  /// Starts writing a checkpoint into the folder `run`.
  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& run,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override = 0;
  /// Returns the files in which another program kept its place in the data, if the checkpoint stays
  /// good without them.
  virtual std::vector<std::string> iterator_files(const io::FileSystem& /*files*/,
                                                  const std::string& /*folder*/) const {
    return {};
  }
  /// Removes a checkpoint. A partly removed one never looks complete.
  virtual void remove(const Files& files, const std::string& folder) const = 0;

 private:
  /// True if a folder without a readable manifest holds the files of a checkpoint in this format.
  virtual bool has_step_files(const Files& files, const std::string& folder) const = 0;
};

}  // namespace meshwright::checkpoint
