// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "meshwright/checkpoint/format/format.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"

namespace meshwright::checkpoint {

/// How such a format writes a step.
struct InPlace {
  ZarrLayout layout;
  /// The file that is written last, and what is in it.
  const char* marker = nullptr;
  std::string (*marker_text)(const StepPlan& plan) = nullptr;
  /// Writes what else belongs into a step's folder, at the begin of a step; may be absent.
  void (*write_others)(io::FileSystem& files, const StepPlan& plan) = nullptr;
  /// Whether there is room for states of iterators.
  bool keeps_iterators = false;
};

/// A format of another program, which writes a step where it stays, and a file, written last, makes
/// it complete. Where we wrote it, the manifest is beside it.
class InPlaceFormat : public Format {
 public:
  /// By the manifest, which must know the marker as it is; without one, as the other program would,
  /// unless the mark that this program leaves says that there was one.
  Stored open(const Files& files, const std::string& folder) const final;
  Stored inspect(const Files& files, const std::string& folder) const final;
  /// Also where only the manifest is left: the marker, which it knows, was lost.
  bool is_committed(const Files& files, const std::string& folder) const final;
  /// By the manifest, or by reading all elements where there is none.
  std::vector<Damage> verify(const Files& files, const std::string& folder) const final;

  /// Writes the step beside its place, which it takes by renaming when it is complete. Where files
  /// cannot be renamed it is written where it stays, and none that is complete can be replaced.
  std::unique_ptr<StepWriter> begin(const Files& files,
                                    const std::string& run,
                                    StepPlan plan,
                                    const WriteOptions& options) const final;
  /// By taking its name away; where files cannot be renamed, the marker first.
  void remove(const Files& files, const std::string& folder) const final;

 protected:
  explicit InPlaceFormat(const InPlace& how) : how_(how) {}

 private:
  /// Whether the other program would take it for complete.
  virtual bool has_marker(const Files& files, const std::string& folder) const = 0;
  Stored open_ours(const Files& files, const std::string& folder, Manifest manifest) const;
  /// A step that another program wrote.
  virtual Stored open_foreign(const Files& files, const std::string& folder) const = 0;
  /// Of any step, if the format has room for them.
  virtual std::vector<IteratorState> iterators(const Files& /*files*/,
                                               const std::string& /*folder*/) const {
    return {};
  }
  /// What is wrong beside the arrays with a step that another program wrote.
  virtual std::vector<Damage> verify_others(const Stored& /*stored*/,
                                            const std::string& /*folder*/) const {
    return {};
  }

  InPlace how_;
};

}  // namespace meshwright::checkpoint
