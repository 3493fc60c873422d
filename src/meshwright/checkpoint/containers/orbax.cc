// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/orbax.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/checkpoint/containers/orbax_item.h"
#include "meshwright/checkpoint/containers/orbax_writer.h"
#include "meshwright/checkpoint/format/manifest_writer.h"
#include "meshwright/checkpoint/formats/native.h"
#include "meshwright/checkpoint/formats/orbax_files.h"
#include "meshwright/io/path.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::string_view kUnfinishedMark = ".orbax-checkpoint-tmp";
constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{16} << 20;

// Managers name a step "7", with a prefix "ckpt_7", and with zeros "ckpt_000007".
std::optional<std::int64_t> find_orbax_step(std::string_view name) {
  if (name.find(kUnfinishedMark) != name.npos) return std::nullopt;
  const std::size_t before = name.find_last_not_of("0123456789");
  const std::size_t begin = before == name.npos ? 0 : before + 1;
  if (begin == name.size() || (begin > 0 && name[begin - 1] != '_')) return std::nullopt;
  std::int64_t out = 0;
  const char* const end = name.data() + name.size();
  if (std::from_chars(name.data() + begin, end, out).ec != std::errc()) return std::nullopt;
  return out;
}

std::vector<std::string> folders_in(const io::FileSystem& files, const std::string& folder) {
  std::vector<std::string> out;
  for (const io::FolderEntry& entry : files.list(folder)) {
    const bool is_finished = entry.name.find(kUnfinishedMark) == entry.name.npos;
    if (entry.kind == io::FileKind::folder && is_finished)
      out.push_back(join_path(folder, entry.name));
  }
  return out;
}

// Adds the values of a JSON item: one object in one file.
void add_json_item(const io::FileSystem& files, const std::string& folder, Meta& meta) {
  for (const char* name : {"metadata", "metrics"}) {
    const std::string path = join_path(folder, name);
    if (!io::is_file(files, path)) continue;
    const JsonValue json =
        parse_json(io::read_text(files, path, kMaxJsonBytes), files.full_name(path));
    if (!json.is_object()) continue;
    for (const auto& [key, value] : json.as_object()) {
      const bool is_name = !key.empty() && key.find('/') == key.npos;
      if (!is_name) continue;
      const std::string at = join_path(io::name_of(folder), key);
      if (value.is_text()) {
        meta[at] = Scalar(value.as_text());
      } else if (value.find_integer()) {
        meta[at] = Scalar(*value.find_integer());
      } else if (value.is_number()) {
        meta[at] = Scalar(value.as_number());
      }
    }
  }
}

class OrbaxContainer : public Container {
 public:
  std::string_view name() const override { return "orbax"; }

  bool is_here(const Files& files, const std::string& path) const override {
    if (!(path.empty() || io::is_folder(*files, path)) || has_manifest(*files, path)) return false;
    return is_orbax_item(*files, path) || !items_in(*files, path).empty();
  }

  bool owns_all_below(const Files& files, const std::string& folder) const override {
    const bool is_root = io::is_file(*files, join_path(folder, kOrbaxHandlers));
    return is_here(files, folder) && (is_root || is_orbax_item(*files, folder));
  }

  std::vector<CheckpointEntry> list(const Files& files, const std::string& folder) const override {
    if (is_orbax_item(*files, folder)) return {};
    std::vector<CheckpointEntry> out;
    for (const std::string& path : folders_in(*files, folder)) {
      const std::optional<std::int64_t> step = find_orbax_step(io::name_of(path));
      if (step && is_here(files, path) && !is_native_remnant(*files, path))
        out.push_back({.step = *step, .folder = path, .is_committed = true});
    }
    std::ranges::sort(out, {}, &CheckpointEntry::step);
    return out;
  }

  Stored open(const Files& files, const std::string& path) const override {
    // Could be read, but nothing would verify it.
    if (is_native_remnant(*files, path))
      fail(ErrorCode::data_loss, files->full_name(path),
           ": is a checkpoint of Meshwright that lost ", kManifestFile);
    Stored out{.step = step_of(*files, path)};
    if (is_orbax_item(*files, path)) {
      StoredTree item = open_orbax_item(files, path);
      out.arrays = std::move(item.arrays);
      out.structure = std::move(item.structure);
      out.unreadable = std::move(item.unreadable);
      return out;
    }
    const std::vector<std::string> items = items_in(*files, path);
    if (items.empty())
      fail(ErrorCode::data_loss, files->full_name(path), ": has no arrays of Orbax");
    for (const std::string& item : items)
      add_item(open_orbax_item(files, item), items.size() == 1 ? "" : io::name_of(item), out);
    for (const std::string& folder : folders_in(*files, path))
      if (std::ranges::find(items, folder) == items.end()) add_json_item(*files, folder, out.meta);
    return out;
  }

  bool keeps_structure() const override { return true; }
  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& path,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override {
    return orbax_writer(files, path, std::move(plan), options);
  }

 private:
  static std::vector<std::string> items_in(const io::FileSystem& files, const std::string& path) {
    const bool is_root = io::is_file(files, join_path(path, kOrbaxHandlers));
    std::vector<std::string> out;
    for (const std::string& folder : folders_in(files, path)) {
      const std::string name = io::name_of(folder);
      if (!is_root && find_orbax_step(name)) continue;  // a checkpoint of a manager
      if (!has_manifest(files, folder) && is_orbax_item(files, folder)) out.push_back(folder);
    }
    return out;
  }

  // A single item is the checkpoint; several have a branch each.
  static void add_item(const StoredTree& item, const std::string& name, Stored& out) {
    for_each(item.arrays, [&](const std::string& path, const StoredArray& array) {
      out.arrays[join_path(name, path)] = array;
    });
    for (const auto& [path, why] : item.unreadable)
      out.unreadable.emplace(join_path(name, path), why);
    merge(out.structure, renamed(item.structure, [&](const std::string& path) {
            return std::optional(path.empty() ? name : join_path(name, path));
          }));
  }

  // A manager names the folder after the step; an item lies within it.
  static std::int64_t step_of(const io::FileSystem& files, const std::string& path) {
    const std::string full_name = files.full_name(path);
    for (const std::string& name : {io::name_of(full_name), io::name_of(io::parent_of(full_name))})
      if (const auto found = find_orbax_step(name)) return *found;
    return stored_step(files, join_path(path, kOrbaxHandlers)).value_or(0);
  }

  // Other programs do not store it.
  static std::optional<std::int64_t> stored_step(const io::FileSystem& files,
                                                 const std::string& path) {
    if (!io::is_file(files, path)) return std::nullopt;
    const JsonValue json =
        parse_json(io::read_text(files, path, kMaxJsonBytes), files.full_name(path));
    const JsonValue* metadata = json.find("custom_metadata");
    if (metadata == nullptr || !metadata->is_object()) return std::nullopt;
    const JsonValue* step = metadata->find(kOrbaxStep);
    return step == nullptr ? std::nullopt : step->find_integer();
  }
};

}  // namespace

const Container& orbax_container() {
  static const OrbaxContainer container;
  return container;
}

}  // namespace meshwright::checkpoint
