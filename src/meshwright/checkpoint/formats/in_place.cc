// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/in_place.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/crc32c.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

// Marks Meshwright's checkpoints: one without this mark and without a manifest is the other
// program's.
constexpr const char* kOwnMark = "meshwright.txt";
constexpr std::string_view kOwnMarkText =
    "Written by Meshwright: meshwright.json in this folder has the checksums of all files.\n";

// Returns the manifest of a checkpoint written by Meshwright; nullopt for the other program's.
std::optional<Manifest> own_manifest(const Format& format,
                                     const Files& files,
                                     const std::string& folder) {
  std::optional<Manifest> out = find_manifest_of(format, files, folder);
  if (!out && files->find(io::join_path(folder, kOwnMark))) {
    fail(ErrorCode::data_loss, files->full_name(io::join_path(folder, kManifestFile)),
         ": is missing, though Meshwright wrote this checkpoint");
  }
  return out;
}

// Returns the folder to write to. It has a temporary name, so that neither program sees the
// leftovers of a killed save, or the final one if files cannot be renamed.
std::string folder_to_write(const Format& format, const Files& files, const std::string& name) {
  if (files->can_rename()) return with_prefix(kUnfinished, name);
  MW_CHECK(
      !files->find(name) || !format.is_committed(files, name), files->full_name(name),
      ": is a complete checkpoint, which cannot be replaced safely on storage without renaming");
  return name;
}

class InPlaceWriter : public ManifestWriter {
 public:
  InPlaceWriter(const Format& format,
                const InPlace& how,
                const Files& files,
                std::string name,
                CheckpointPlan plan,
                const WriteOptions& options)
      : ManifestWriter(format,
                       files,
                       std::move(plan),
                       {.folder = folder_to_write(format, files, name),
                        .arrays = how.layout,
                        .marker = how.marker},
                       options),
        how_(how),
        name_(std::move(name)) {
    if (options.process != 0) return;
    io::write_text(ManifestWriter::files(), kOwnMark, kOwnMarkText, io::Durability::synced);
    if (how_.write_others != nullptr)
      how_.write_others(ManifestWriter::files(), ManifestWriter::plan());
  }

  void commit() override {
    std::string text = how_.marker_text(plan());
    write_manifest({{how_.marker, {text.size(), crc32c(text)}}});
    std::string marker = io::join_path(folder(), how_.marker);
    if (run_files().can_rename()) {  // so that it is never visible in part
      io::replace_text(run_files(), marker, text);
    } else {
      io::write_text(run_files(), marker, text, io::Durability::synced);
    }
    if (folder() != name_) publish(run_files(), folder(), name_);
  }

 private:
  InPlace how_;
  std::string name_;
};

}  // namespace

void write_kept_files(io::FileSystem& files, const CheckpointPlan& plan) {
  for (const IteratorState& iterator : plan.iterators) {
    for (const auto& [name, file] : iterator.files) {
      if (name.find('/') != name.npos) files.make_folder(io::parent_of(name));
      io::write_text(files, name, file.read(), io::Durability::synced);
    }
  }
}

Stored InPlaceFormat::open(const Files& files, const std::string& folder) const {
  std::optional<Manifest> manifest = own_manifest(*this, files, folder);
  return manifest ? open_ours(files, folder, *std::move(manifest)) : open_foreign(files, folder);
}

Stored InPlaceFormat::open_ours(const Files& files,
                                const std::string& folder,
                                Manifest manifest) const {
  auto verified = std::make_shared<io::VerifiedFiles>(files, folder, manifest.files);
  if (!verified->find(how_.marker)) {
    fail(ErrorCode::data_loss, files->full_name(io::join_path(folder, how_.marker)),
         ": is missing");
  }
  Stored out = open_manifest(files, folder, std::move(manifest));
  out.iterators = iterators(verified, "");
  return out;
}

Stored InPlaceFormat::inspect(const Files& files, const std::string& folder) const {
  if (std::optional<Manifest> manifest = own_manifest(*this, files, folder)) {
    check_files(files, folder, *manifest);
    return open_ours(files, folder, *std::move(manifest));
  }
  Stored out = open_foreign(files, folder);
  for_each(out.arrays, [](const StoredArray& array) { array.chunk(); });
  return out;
}

bool InPlaceFormat::is_committed(const Files& files, const std::string& folder) const {
  return has_manifest(*files, folder) || has_marker(files, folder);
}

std::vector<Damage> InPlaceFormat::verify(const Files& files, const std::string& folder) const {
  try {
    if (std::optional<Manifest> manifest = own_manifest(*this, files, folder)) {
      return verify_manifest(files, folder, *manifest);
    }
    const Stored stored = open_foreign(files, folder);
    std::vector<Damage> out = verify_by_reading(stored);
    std::ranges::move(verify_others(stored, files->full_name(folder)), std::back_inserter(out));
    return out;
  } catch (const Error& error) {
    return {{files->full_name(folder), error.what()}};
  }
}

std::unique_ptr<CheckpointWriter> InPlaceFormat::begin(const Files& files,
                                                       const std::string& run,
                                                       CheckpointPlan plan,
                                                       const WriteOptions& options) const {
  if (!how_.keeps_iterators) refuse_iterators(*this, plan);
  std::string name = io::join_path(run, step_name(plan.step));
  return std::make_unique<InPlaceWriter>(*this, how_, files, name, std::move(plan), options);
}

void InPlaceFormat::remove(const Files& files, const std::string& folder) const {
  if (files->can_rename()) return remove_renamed(*files, folder);
  remove_marked(*files, folder, how_.marker);
}

}  // namespace meshwright::checkpoint
