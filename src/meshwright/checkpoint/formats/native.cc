// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/native.h"

#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/orbax_files.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr ZarrLayout kLayout = {.folder = orbax_folder};
constexpr std::array kOrbaxFiles = {kOrbaxTree, kOrbaxHandlers, kOrbaxMarker, "manifest.ocdbt"};

class NativeWriter : public ManifestWriter {
 public:
  NativeWriter(const Format& format,
               Files files,
               std::string name,
               CheckpointPlan plan,
               const WriteOptions& options)
      : ManifestWriter(format,
                       std::move(files),
                       std::move(plan),
                       {.folder = with_prefix(kUnfinished, name), .arrays = kLayout},
                       options),
        name_(std::move(name)) {}

  void commit() override {
    // Omits the path of the run, so that equal states have equal files in any folder.
    write_orbax_files(files(), plan(), {.name = io::name_of(name_)});
    write_manifest();
    publish(run_files(), folder(), name_);
  }

 private:
  std::string name_;
};

class Native : public Format {
 public:
  std::string_view name() const override { return "native"; }
  std::string step_name(std::int64_t step) const override {
    return padded_step_name("step_", 8, step);
  }
  std::optional<std::int64_t> find_step(std::string_view folder_name) const override {
    return find_padded_step("step_", 8, folder_name);
  }

  bool has_trace(const Files& files, const std::string& folder) const override {
    return std::ranges::any_of(kOrbaxFiles, [&](const char* name) {
      return files->find(join_path(folder, name)).has_value();
    });
  }
  bool is_committed(const Files& files, const std::string& folder) const override {
    return files->find(folder).has_value();
  }

  Stored open(const Files& files, const std::string& folder) const override {
    return open_manifest(files, folder, manifest(files, folder));
  }
  Stored inspect(const Files& files, const std::string& folder) const override {
    Manifest found = manifest(files, folder);
    check_files(files, folder, found);
    return open_manifest(files, folder, std::move(found));
  }
  std::vector<Damage> verify(const Files& files, const std::string& folder) const override {
    try {
      return verify_manifest(files, folder, manifest(files, folder));
    } catch (const Error& error) {
      return {{files->full_name(join_path(folder, kManifestFile)), error.what()}};
    }
  }

  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& run,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override {
    MW_CHECK(files->can_rename(),
             "checkpoint: the format 'native' requires storage with renaming, ",
             "which is not available in ", files->full_name(run));
    refuse_iterators(*this, plan);
    std::string name = join_path(run, step_name(plan.step));
    return std::make_unique<NativeWriter>(*this, files, name, std::move(plan), options);
  }
  void remove(const Files& files, const std::string& folder) const override {
    remove_renamed(*files, folder);
  }

 private:
  bool has_step_files(const Files& files, const std::string& folder) const override {
    return has_manifest(*files, folder) && files->find(join_path(folder, kOrbaxTree));
  }
  Manifest manifest(const Files& files, const std::string& folder) const {
    std::optional<Manifest> found = find_manifest_of(*this, files, folder);
    if (!found) {
      fail(ErrorCode::data_loss, files->full_name(join_path(folder, kManifestFile)),
           ": is missing");
    }
    return *std::move(found);
  }
};

}  // namespace

const Format& native_format() {
  static const Native format;
  return format;
}

bool is_native_remnant(const io::FileSystem& files, const std::string& folder) {
  const std::string marker = join_path(folder, kOrbaxMarker);
  if (has_manifest(files, folder) || !io::is_file(files, marker)) return false;
  constexpr std::uint64_t kMaxMarkerBytes = 4096;
  if (files.find(marker)->num_bytes > kMaxMarkerBytes) return false;
  const std::string text = io::read_text(files, marker, kMaxMarkerBytes);
  return text.starts_with(kOrbaxCommitted) &&
         native_format().find_step(text.substr(kOrbaxCommitted.size())).has_value();
}

}  // namespace meshwright::checkpoint
