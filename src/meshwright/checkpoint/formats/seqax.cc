// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/seqax.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/format/manifest.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/formats/in_place.h"
#include "meshwright/checkpoint/formats/step_name.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/group.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr const char* kGroup = ".zgroup";
constexpr const char* kAttributes = ".zattrs";
constexpr const char* kCompleted = "write_completed";

std::string seqax_folder(const std::string& path, const Structure& /*structure*/) {
  std::string out = path;
  std::erase(out, '/');
  return out;
}

// Returns weights/transformer/w_q for "weightstransformerw_q". Names can only be recovered for
// seqax's own structures. Older versions of JAX put a dot before each name:
// ".weights.transformer.w_q".
std::string path_of(const std::string& folder) {
  if (folder.starts_with('.')) {
    std::string out = folder.substr(1);
    std::ranges::replace(out, '.', '/');
    return out;
  }
  for (std::string_view top : {"weights", "adam_mu", "adam_nu"}) {
    if (!folder.starts_with(top) || folder.size() == top.size()) continue;
    std::string rest = folder.substr(top.size());
    constexpr std::string_view kLayers = "transformer";
    const bool is_layer = rest.starts_with(kLayers) && rest.size() > kLayers.size();
    if (is_layer) return str(top, "/", kLayers, "/", rest.substr(kLayers.size()));
    return str(top, "/", rest);
  }
  return folder;
}

void write_group(io::FileSystem& files, const CheckpointPlan& /*plan*/) {
  io::zarr::write_group(files, "");
}

std::string attributes_text(const CheckpointPlan& /*plan*/) {
  return str("{\"", kCompleted, "\":true}");
}

constexpr InPlace kSeqaxInPlace = {
    .layout = {.folder = seqax_folder, .chunk_is_part = true, .names_separator = false},
    .marker = kAttributes,
    .marker_text = attributes_text,
    .write_others = write_group,
};

class Seqax : public InPlaceFormat {
 public:
  Seqax() : InPlaceFormat(kSeqaxInPlace) {}

  std::string_view name() const override { return "seqax"; }
  std::string step_name(std::int64_t step) const override { return padded_step_name("", 10, step); }
  std::optional<std::int64_t> find_step(std::string_view folder_name) const override {
    return find_padded_step("", 10, folder_name);
  }

  bool has_trace(const Files& files, const std::string& folder) const override {
    return has_step_files(files, folder) || files->find(join_path(folder, kAttributes));
  }

 private:
  bool has_step_files(const Files& files, const std::string& folder) const override {
    return files->find(join_path(folder, kGroup)).has_value();
  }
  // Damaged attributes count as complete, so that the damage is reported instead of the checkpoint
  // being ignored.
  bool has_marker(const Files& files, const std::string& folder) const override {
    std::string file = join_path(folder, kAttributes);
    if (!files->find(file)) return false;
    try {
      const JsonValue attributes = io::zarr::read_attributes(*files, folder);
      const JsonValue* completed = attributes.find(kCompleted);
      return completed != nullptr && completed->as_bool();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::data_loss) throw;
      return true;
    }
  }
  Stored open_foreign(const Files& files, const std::string& folder) const override {
    io::zarr::read_attributes(*files, folder);  // damaged attributes do not mark completeness
    Stored out{.step = find_step(io::name_of(folder)).value_or(0)};
    StoredPaths paths;
    // A folder that is no longer an array is damage, so every folder is opened.
    for (const io::FolderEntry& entry : files->list(folder)) {
      if (entry.kind != io::FileKind::folder) continue;
      std::string array = join_path(folder, entry.name);
      const std::string path = path_of(entry.name);
      paths.add(path);
      out.arrays[path] = open_zarr(files, array);
    }
    return out;
  }
};

}  // namespace

const Format& seqax_format() {
  static const Seqax format;
  return format;
}

}  // namespace meshwright::checkpoint
