// SPDX-License-Identifier: Apache-2.0
// What formats have in common that store zarr arrays and a manifest in the folder of a step.
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

/// For formats without room for states of iterators: throws invalid_argument if there are some.
void refuse_iterators(const Format& format, const StepPlan& plan);

/// Where and how a step is written.
struct ManifestLayout {
  std::string folder;
  ZarrLayout arrays;
  /// The file that makes it complete; an abandoned step loses it first.
  const char* marker = kManifestFile;
};

/// Writes the arrays of a step and its manifest. Every file written through files() goes into that.
/// What else is in the folder, and how it becomes the step, is up to those who derive from it.
class ManifestWriter : public StepWriter {
 public:
  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const final {
    return arrays_.pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) final { arrays_.write(array, piece); }
  /// Leaves the checksums of the files of a process that is not the first where it finds them.
  void finish() final;
  /// Removes what was written.
  void abandon() noexcept final;

 protected:
  /// Removes what is in the folder, if this is the first process.
  ManifestWriter(const Format& format,
                 Files files,
                 StepPlan plan,
                 ManifestLayout layout,
                 const WriteOptions& options);

  const StepPlan& plan() const { return plan_; }
  const std::string& folder() const { return layout_.folder; }
  io::FileSystem& run_files() { return *files_; }
  /// Of the step's folder.
  io::FileSystem& files() { return *step_files_; }

  /// Writes the manifest of the files of all processes, and of those that come later, and syncs all
  /// folders.
  void write_manifest(io::FileRecords later = {});

 private:
  Manifest manifest() const;

  const Format& format_;
  Files files_;
  StepPlan plan_;
  ManifestLayout layout_;
  WriteOptions options_;
  std::shared_ptr<io::RecordingFiles> step_files_;
  ZarrArrays arrays_;
};

/// The manifest in a step's folder; nothing if there is none.
std::optional<Manifest> find_manifest(const Files& files, const std::string& folder);

/// Whether this is the name of what a process after the first leaves until a step is committed.
bool is_share_name(std::string_view name);

/// Whether something has the name of the manifest, whatever it is.
bool has_manifest(const io::FileSystem& files, const std::string& folder);
/// The id of the run that wrote a step, empty in older manifests; nothing if no manifest can be
/// read.
std::optional<std::string> find_run(const io::FileSystem& files, const std::string& folder);
/// The format that a manifest names; nothing if no manifest can be read.
std::optional<std::string> find_format_name(const Files& files, const std::string& folder);
/// The manifest in a step's folder; nothing if there is none. Throws data_loss if it names another
/// format.
std::optional<Manifest> find_manifest_of(const Format& format,
                                         const Files& files,
                                         const std::string& folder);

/// The arrays a manifest lists, behind files that are compared with its checksums; those that are
/// of no array are compared at once.
Stored open_manifest(const Files& files, const std::string& folder, Manifest manifest);

/// Throws data_loss unless every file that the manifest lists is a plain file of its size.
void check_files(const Files& files, const std::string& folder, const Manifest& manifest);

/// Every array that cannot be read.
std::vector<Damage> verify_by_reading(const Stored& stored);

/// Every file that is not as the manifest says.
std::vector<Damage> verify_manifest(const Files& files,
                                    const std::string& folder,
                                    const Manifest& manifest);

}  // namespace meshwright::checkpoint
