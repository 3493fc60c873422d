// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/native.h"

#include <algorithm>
#include <array>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/format/step_folders.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

// Orbax joins names with dots to find an array.
std::string array_folder(const std::string& path) {
  std::string out = path;
  std::ranges::replace(out, '/', '.');
  return out;
}

constexpr ZarrLayout kLayout = {.folder = array_folder};
constexpr const char* kOrbaxTree = "_METADATA";
constexpr const char* kOrbaxHandlers = "_CHECKPOINT_METADATA";
constexpr const char* kOrbaxMarker = "commit_success.txt";
constexpr std::array kOrbaxFiles = {kOrbaxTree, kOrbaxHandlers, kOrbaxMarker, "manifest.ocdbt"};

// Returns text such as "('model', 'w')", as Orbax writes it; any unique text would do.
std::string tuple_text(const std::vector<std::string_view>& names) {
  std::string out = "(";
  for (std::size_t i = 0; i < names.size(); ++i)
    out += str(i == 0 ? "'" : ", '", names[i], "'");
  return str(out, names.size() == 1 ? ",)" : ")");
}

// With value_type np.ndarray, Orbax restores without a sharding.
std::string orbax_tree(const CheckpointPlan& plan) {
  JsonWriter json;
  json.begin_object().key("tree_metadata").begin_object();
  for_each(plan.arrays, [&](const std::string& path, const ArrayPlan&) {
    std::vector<std::string_view> names = split_tree_path(path);
    json.key(tuple_text(names)).begin_object().key("key_metadata").begin_array();
    for (std::string_view name : names)
      json.begin_object().field("key", name).field("key_type", 2).end_object();
    json.end_array().key("value_metadata").begin_object();
    json.field("value_type", "np.ndarray").field("skip_deserialize", false).end_object();
    json.end_object();
  });
  json.end_object().field("use_ocdbt", false).field("use_zarr3", false);
  json.field("store_array_data_equal_to_fill_value", true).key("custom_metadata").null();
  return json.end_object().str();
}

std::string orbax_handlers() {
  JsonWriter json;
  json.begin_object();
  json.field(
      "item_handlers",
      "orbax.checkpoint._src.handlers.standard_checkpoint_handler.StandardCheckpointHandler");
  json.key("metrics").begin_object().end_object();
  json.key("performance_metrics").begin_object().end_object();
  json.key("custom_metadata").begin_object().end_object();
  return json.end_object().str();
}

// Omits the path of the run, so that equal states have equal files in any folder.
void write_orbax_files(io::FileSystem& files, const CheckpointPlan& plan, const std::string& name) {
  auto write = [&](const char* file, const std::string& text) {
    io::write_text(files, file, text, io::Durability::synced);
  };
  write(kOrbaxTree, orbax_tree(plan));
  write(kOrbaxHandlers, orbax_handlers());
  write(kOrbaxMarker, str("Checkpoint commit was successful to ", name));
}

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
    write_orbax_files(files(), plan(), io::name_of(name_));
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

}  // namespace meshwright::checkpoint
