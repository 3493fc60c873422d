// SPDX-License-Identifier: Apache-2.0
// Common parts of formats that store zarr arrays and a manifest in the folder of a checkpoint.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/io/checksums.h"

namespace meshwright::checkpoint {

/// Throws invalid_argument if the plan has iterator states. For formats that cannot store them.
void refuse_iterators(const Format& format, const CheckpointPlan& plan);

/// Location and layout of a checkpoint.
struct ManifestLayout {
  std::string folder;
  ZarrLayout arrays;
  /// The file that marks the checkpoint as complete; abandon() removes it first.
  const char* marker = kManifestFile;
};

/// Writes the arrays of a checkpoint and its manifest. The manifest covers every file written
/// through files(). Derived classes write any other files and publish the checkpoint.
class ManifestWriter : public CheckpointWriter {
 public:
  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const final {
    return arrays_.pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) final { arrays_.write(array, piece); }
  std::string receipt(const std::string& array, const Ranges& piece) const final;
  bool keep(const std::string& array, const Ranges& piece, const std::string& receipt) final;
  /// In every process but the first, stores the checksums of its files for the first process.
  void finish() final;
  /// Removes the files written so far.
  void abandon() noexcept final;

 protected:
  /// In the first process, removes existing files in the folder unless it continues an attempt.
  ManifestWriter(const Format& format,
                 Files files,
                 CheckpointPlan plan,
                 ManifestLayout layout,
                 const WriteOptions& options);

  const CheckpointPlan& plan() const { return plan_; }
  const std::string& folder() const { return layout_.folder; }
  io::FileSystem& run_files() { return *files_; }
  /// The files of the checkpoint's folder.
  io::FileSystem& files() { return *step_files_; }

  /// Writes the manifest for the files of all processes and for `later`, files still to be written,
  /// and syncs all folders.
  void write_manifest(io::FileRecords later = {});

 private:
  Manifest manifest() const;

  const Format& format_;
  Files files_;
  CheckpointPlan plan_;
  ManifestLayout layout_;
  WriteOptions options_;
  std::shared_ptr<io::RecordingFiles> step_files_;
  ZarrArrays arrays_;
};

/// Returns the manifest in a checkpoint's folder; nullopt if there is none.
std::optional<Manifest> find_manifest(const Files& files, const std::string& folder);

/// True for the file in which a process other than the first stores its checksums until commit.
bool is_share_name(std::string_view name);

/// True if an entry of any kind has the manifest's name.
bool has_manifest(const io::FileSystem& files, const std::string& folder);
/// Returns the id of the run that wrote a checkpoint, empty in older manifests; nullopt if there is
/// no readable manifest.
std::optional<std::string> find_run(const io::FileSystem& files, const std::string& folder);
/// Returns the format named in a manifest; nullopt if there is no readable manifest.
std::optional<std::string> find_format_name(const Files& files, const std::string& folder);
/// Returns the manifest in a checkpoint's folder; nullopt if there is none. Throws data_loss if it
/// names another format.
std::optional<Manifest> find_manifest_of(const Format& format,
                                         const Files& files,
                                         const std::string& folder);

/// Returns the arrays that a manifest lists. Their files are checked against its checksums when
/// read; files that belong to no array are checked immediately.
Stored open_manifest(const Files& files, const std::string& folder, Manifest manifest);

/// Throws data_loss unless every file in the manifest is a plain file of its recorded size.
void check_files(const Files& files, const std::string& folder, const Manifest& manifest);

/// Returns every array that cannot be read.
std::vector<Damage> verify_by_reading(const Stored& stored);

/// Returns every file that does not match the manifest.
std::vector<Damage> verify_manifest(const Files& files,
                                    const std::string& folder,
                                    const Manifest& manifest);

}  // namespace meshwright::checkpoint
