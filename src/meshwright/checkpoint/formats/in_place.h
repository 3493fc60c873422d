// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"

namespace meshwright::checkpoint {

/// Layout of an InPlaceFormat.
struct InPlace {
  ZarrLayout layout;
  /// Name and content of the file that is written last.
  const char* marker = nullptr;
  std::string (*marker_text)(const CheckpointPlan& plan) = nullptr;
  /// Writes the other files of a checkpoint's folder when the writer is created; may be absent.
  void (*write_others)(io::FileSystem& files, const CheckpointPlan& plan) = nullptr;
  /// True if the format can store iterator states.
  bool keeps_iterators = false;
};

/// Writes the files of iterator states, for InPlace::write_others.
void write_kept_files(io::FileSystem& files, const CheckpointPlan& plan);

/// A format of another program that writes a checkpoint in its final place, where a marker file,
/// written last, makes it complete. Checkpoints written by Meshwright also have a manifest.
class InPlaceFormat : public Format {
 public:
  /// Reads the manifest, which must match the marker. Without a manifest, reads as the other
  /// program would, unless Meshwright's mark says that the checkpoint had one.
  Stored open(const Files& files, const std::string& folder) const final;
  Stored inspect(const Files& files, const std::string& folder) const final;
  /// Also true if only the manifest is left: it lists the marker, which was lost.
  bool is_committed(const Files& files, const std::string& folder) const final;
  /// Verifies against the manifest, or by reading all elements if there is none.
  std::vector<Damage> verify(const Files& files, const std::string& folder) const final;

  /// Writes the checkpoint under another name and renames it when complete. If files cannot be
  /// renamed, writes it in place, in which case a complete checkpoint cannot be replaced.
  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& run,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const final;
  /// Renames the checkpoint first; if files cannot be renamed, removes the marker first.
  void remove(const Files& files, const std::string& folder) const final;

 protected:
  explicit InPlaceFormat(const InPlace& how) : how_(how) {}

 private:
  /// True if the other program would consider the checkpoint complete.
  virtual bool has_marker(const Files& files, const std::string& folder) const = 0;
  Stored open_ours(const Files& files, const std::string& folder, Manifest manifest) const;
  /// Opens a checkpoint that the other program wrote.
  virtual Stored open_foreign(const Files& files, const std::string& folder) const = 0;
  /// Returns the iterator states of any checkpoint, if the format can store them.
  virtual std::vector<IteratorState> iterators(const Files& /*files*/,
                                               const std::string& /*folder*/) const {
    return {};
  }
  /// Returns damage to anything but the arrays in a checkpoint that the other program wrote.
  virtual std::vector<Damage> verify_others(const Stored& /*stored*/,
                                            const std::string& /*folder*/) const {
    return {};
  }

  InPlace how_;
};

}  // namespace meshwright::checkpoint
