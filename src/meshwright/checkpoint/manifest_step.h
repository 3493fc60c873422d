// SPDX-License-Identifier: Apache-2.0
// What formats have in common that store zarr arrays and a manifest in the folder of a step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/checkpoint/format.h"
#include "meshwright/checkpoint/manifest.h"
#include "meshwright/checkpoint/zarr_arrays.h"
#include "meshwright/io/checksums.h"

namespace meshwright::checkpoint {

/// The files of a step while it is written. Every file written through files() goes into the
/// manifest.
class ManifestStep {
 public:
  /// `folder` is where it is written. Removes what is there, if this is the first process.
  ManifestStep(const Format& format,
               const Files& files,
               std::string folder,
               StepPlan plan,
               const ZarrLayout& layout,
               const WriteOptions& options);

  const StepPlan& plan() const { return plan_; }
  const ZarrArrays& arrays() const { return arrays_; }
  const std::string& folder() const { return folder_; }
  /// Of the step's folder.
  io::FileSystem& files() { return *step_files_; }

  /// Leaves the checksums of the files of a process that is not the first where it finds them.
  void finish();
  /// Writes the manifest of the files of all processes, and of those that come later, and syncs all
  /// folders.
  void write_manifest(io::FileRecords later = {});
  /// Removes what was written, first the file that would make it complete.
  void abandon(std::string_view marker = kManifestFile) noexcept;

 private:
  Manifest manifest() const;

  const Format& format_;
  Files files_;
  std::string folder_;
  StepPlan plan_;
  ZarrLayout layout_;
  WriteOptions options_;
  std::shared_ptr<io::RecordingFiles> step_files_;
  ZarrArrays arrays_;
};

/// The manifest in a step's folder; nothing if there is none.
std::optional<Manifest> find_manifest(const Files& files, const std::string& folder);

/// The arrays a manifest lists, behind files that are compared with its checksums.
Stored open_manifest(const Files& files, const std::string& folder, Manifest manifest);

/// Every array that cannot be read.
std::vector<Damage> verify_by_reading(const Stored& stored);

/// Every file that is not as the manifest says.
std::vector<Damage> verify_manifest(const Files& files,
                                    const std::string& folder,
                                    const Manifest& manifest);

}  // namespace meshwright::checkpoint
