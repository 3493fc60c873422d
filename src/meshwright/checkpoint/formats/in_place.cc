// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/in_place.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/checkpoint/manifest_step.h"
#include "meshwright/checkpoint/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

class InPlaceWriter : public StepWriter {
 public:
  InPlaceWriter(const Format& format,
                InPlace how,
                Files files,
                std::string name,
                StepPlan plan,
                const WriteOptions& options)
      : how_(how),
        files_(std::move(files)),
        name_(std::move(name)),
        step_(format, files_, folder(format), std::move(plan), how_.layout, options) {
    if (options.process == 0 && how_.write_others != nullptr) {
      how_.write_others(step_.files(), step_.plan());
    }
  }

  std::vector<Ranges> pieces(const std::string& array, const Ranges& part) const override {
    return step_.arrays().pieces(array, part);
  }
  void write(const std::string& array, const Part& piece) override {
    step_.arrays().write(array, piece);
  }
  void finish() override { step_.finish(); }
  void commit() override {
    std::string text = how_.marker_text(step_.plan());
    step_.write_manifest({{how_.marker, {text.size(), crc32c(text)}}});
    files_->sync_folder(io::parent_of(step_.folder()));
    std::string marker = io::join_path(step_.folder(), how_.marker);
    if (files_->can_rename()) {  // no moment at which it is there, but not all of it
      io::replace_text(*files_, marker, text);
    } else {
      io::write_text(*files_, marker, text, io::Durability::synced);
    }
    if (step_.folder() != name_) publish(*files_, step_.folder(), name_);
  }
  void abandon() noexcept override { step_.abandon(how_.marker); }

 private:
  // The processes after the first find the same, as it has begun before them.
  std::string folder(const Format& format) const {
    if (!files_->find(name_) || !format.is_committed(files_, name_)) return name_;
    MW_CHECK(files_->can_rename(), files_->full_name(name_),
             ": is a complete checkpoint, and without renaming it cannot be replaced safely");
    return with_prefix(kUnfinished, name_);
  }

  InPlace how_;
  Files files_;
  std::string name_;
  ManifestStep step_;
};

}  // namespace

std::optional<Stored> find_verified(const Files& files,
                                    const std::string& folder,
                                    const char* marker) {
  std::optional<Manifest> manifest = find_manifest(files, folder);
  if (!manifest) return std::nullopt;
  io::VerifiedFiles(files, folder, manifest->files).verify(marker);
  return open_manifest(files, folder, *std::move(manifest));
}

std::vector<Damage> verify_in_place(const Format& format,
                                    const Files& files,
                                    const std::string& folder) {
  try {
    if (std::optional<Manifest> manifest = find_manifest(files, folder)) {
      return verify_manifest(files, folder, *manifest);
    }
    return verify_by_reading(format.open(files, folder));
  } catch (const Error& error) {
    return {{files->full_name(folder), error.what()}};
  }
}

std::unique_ptr<StepWriter> begin_in_place(const Format& format,
                                           const InPlace& how,
                                           const Files& files,
                                           const std::string& run,
                                           StepPlan plan,
                                           const WriteOptions& options) {
  std::string name = io::join_path(run, format.step_name(plan.step));
  return std::make_unique<InPlaceWriter>(format, how, files, name, std::move(plan), options);
}

}  // namespace meshwright::checkpoint
