// SPDX-License-Identifier: Apache-2.0
// Formats in which a step is written where it stays and a file, written last, makes it complete.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format.h"
#include "meshwright/checkpoint/zarr_arrays.h"

namespace meshwright::checkpoint {

struct InPlace {
  ZarrLayout layout;
  /// The file that is written last, and what is in it.
  const char* marker = nullptr;
  std::string (*marker_text)(const StepPlan& plan) = nullptr;
  /// Writes what else belongs into a step's folder, at the begin of a step; may be absent.
  void (*write_others)(io::FileSystem& files, const StepPlan& plan) = nullptr;
};

/// What the manifest knows of a step, whose marker must be as it says; nothing if there is none.
std::optional<Stored> find_verified(const Files& files,
                                    const std::string& folder,
                                    const char* marker);
/// As Format::verify: by the manifest, or by reading all elements where there is none.
std::vector<Damage> verify_in_place(const Format& format,
                                    const Files& files,
                                    const std::string& folder);

/// Begins a step. One of the same number that is complete stays until its successor is: that is
/// written beside it and takes its place by renaming, where files can be renamed.
std::unique_ptr<StepWriter> begin_in_place(const Format& format,
                                           const InPlace& how,
                                           const Files& files,
                                           const std::string& run,
                                           StepPlan plan,
                                           const WriteOptions& options);

}  // namespace meshwright::checkpoint
