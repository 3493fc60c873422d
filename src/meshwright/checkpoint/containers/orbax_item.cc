// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/orbax_item.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/contents/flax_tree.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/checkpoint/format/zarr_arrays.h"
#include "meshwright/checkpoint/formats/orbax_files.h"
#include "meshwright/io/file_tree.h"
#include "meshwright/io/merged_files.h"
#include "meshwright/io/ocdbt/database.h"
#include "meshwright/io/path.h"
#include "meshwright/io/zarr/array.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;
using io::zarr::MissingChunks;

constexpr const char* kLegacyTree = "checkpoint";
constexpr std::string_view kProcessDatabase = "ocdbt.process_";
constexpr std::uint64_t kMaxTreeBytes = std::uint64_t{128} << 20;
constexpr std::size_t kMaxParsedTree = std::size_t{1} << 30;

// The databases that several processes wrote and that were not merged. Anything may lie beside a
// checkpoint, and disappear while it is looked at.
std::vector<std::string> process_databases(const io::FileSystem& files, const std::string& folder) {
  std::vector<std::string> out;
  for (const io::FolderEntry& entry : io::list_if_there(files, folder)) {
    const std::string path = join_path(folder, entry.name);
    if (entry.kind == io::FileKind::folder && entry.name.starts_with(kProcessDatabase) &&
        io::is_ocdbt(files, path))
      out.push_back(path);
  }
  return out;
}

// The files of arrays: those of a database, or those of the folder.
Files files_of_arrays(const Files& files, const std::string& folder) {
  if (io::is_ocdbt(*files, folder)) return io::open_ocdbt(files, folder);
  std::vector<Files> parts;
  for (const std::string& database : process_databases(*files, folder))
    parts.push_back(io::open_ocdbt(files, database));
  return parts.empty() ? io::subtree(files, folder) : io::merged_files(std::move(parts));
}

JsonValue read_json(const io::FileSystem& files, const std::string& path) {
  return parse_json(io::read_text(files, path, kMaxTreeBytes), files.full_name(path),
                    kMaxParsedTree);
}

// Adds what the tree of an item refers to.
class ItemReader {
 public:
  ItemReader(const Files& files, std::string folder)
      : files_(files), folder_(std::move(folder)), stored_(files_of_arrays(files, folder_)) {}

  StoredTree read() {
    const std::string tree = join_path(folder_, kOrbaxTree);
    const std::string legacy = join_path(folder_, kLegacyTree);
    if (io::is_file(*files_, tree)) {
      add_tree(tree);
    } else if (io::is_file(*files_, legacy)) {
      add_legacy_tree(legacy);
    } else {
      add_all_arrays();
    }
    Tree<StoredArray> arrays = arrays_.take(structure_);
    return {std::move(arrays), std::move(structure_), std::move(unreadable_)};
  }

 private:
  void add_tree(const std::string& path) {
    const std::string name = files_->full_name(path);
    try {
      const JsonValue json = read_json(*files_, path);
      const JsonValue* stores_all = json.find("store_array_data_equal_to_fill_value");
      if (stores_all != nullptr && stores_all->as_bool()) missing_ = MissingChunks::are_data_loss;
      for (const auto& [key, entry] : json.at("tree_metadata").as_object())
        add_entry(entry);
    } catch (const Error& error) {
      if (std::string_view(error.what()).starts_with(name)) throw;
      throw error.with_context(name);
    }
  }

  void add_entry(const JsonValue& entry) {
    std::vector<std::string> names;
    std::string path;
    for (const JsonValue& key : entry.at("key_metadata").as_array()) {
      const JsonValue& name = key.at("key");
      names.push_back(name.is_text() ? name.as_text() : str(name.as_integer()));
      const JsonValue* kind = key.find("key_type");
      if (kind != nullptr && kind->find_integer() == kOrbaxListKey) structure_.lists.insert(path);
      path = add_member(structure_, path, names.back());
    }
    const JsonValue& value = entry.at("value_metadata");
    const std::string& type = value.at("value_type").as_text();
    const std::string param = join(names, ".");
    if (type == "string") return add_text(path, param);
    const JsonValue* is_empty = value.find("skip_deserialize");
    if (is_empty != nullptr && is_empty->as_bool()) return add_empty(path, type);
    if (stored_->find(param)) return add_array(path, param);
    // States of iterators have no array.
    if (type == "jax.Array" || type == "np.ndarray" || type == "scalar")
      fail(ErrorCode::data_loss, "lists '", printable_name(path), "', which is missing");
  }

  void add_empty(const std::string& path, std::string_view type) {
    const std::optional<EmptyNode> node = find_orbax_empty(type);
    if (node && !path.empty()) structure_.empty.emplace(path, *node);
  }

  void add_text(const std::string& path, const std::string& param) {
    if (!texts_) {
      const std::string file = join_path(folder_, kOrbaxTexts);
      texts_ =
          io::is_file(*files_, file) ? read_json(*files_, file) : JsonValue(JsonValue::Object());
    }
    const JsonValue* found = &*texts_;
    for (const std::string_view name : split_tree_path(param))
      if (found != nullptr) found = found->find(name);
    if (found == nullptr || !found->is_text())
      fail(ErrorCode::data_loss, "lists '", printable_name(path), "', which is missing from ",
           kOrbaxTexts);
    structure_.texts.emplace(path, found->as_text());
  }

  // Orbax stored trees so until 2023, T5X with it.
  void add_legacy_tree(const std::string& path) {
    const std::string name = files_->full_name(path);
    constexpr std::string_view kPlaceholder = "PLACEHOLDER://";
    const io::Msgpack tree = io::parse_msgpack(*files_->open(path), name);
    for_each_flax_leaf(tree, structure_, [&](const std::string& leaf, const io::Msgpack& value) {
      const auto* text = value.find_as<std::string>();
      if (text != nullptr && text->starts_with(kPlaceholder)) {
        const std::string param = text->substr(kPlaceholder.size());
        if (!stored_->find(param))
          fail(ErrorCode::data_loss, name, ": refers to '", printable_name(param),
               "', which is missing");
        add_array(leaf, param);
        structure_.texts.erase(leaf);  // it is an array
      } else if (auto array = find_flax_array(value, files_, path)) {
        arrays_.add(leaf, *std::move(array));
      }
    });
  }

  void add_all_arrays() {
    for (const io::FolderEntry& entry : stored_->list("")) {
      if (entry.kind != io::FileKind::folder) continue;
      const bool is_array = stored_->find(join_path(entry.name, ".zarray")) ||
                            stored_->find(join_path(entry.name, "zarr.json"));
      if (!is_array) continue;
      std::string path = entry.name;
      std::ranges::replace(path, '.', '/');
      add_array(path, entry.name);
    }
  }

  void add_array(const std::string& path, const std::string& param) {
    try {
      arrays_.add(path, open_zarr(stored_, param, missing_));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unimplemented) throw;
      unreadable_.emplace(path, error.what());
    }
  }

  Files files_;
  std::string folder_;
  Files stored_;
  MissingChunks missing_ = MissingChunks::are_fill;
  std::optional<JsonValue> texts_;
  NamedArrays arrays_;
  Structure structure_;
  UnreadableArrays unreadable_;
};

}  // namespace

bool is_orbax_item(const io::FileSystem& files, const std::string& folder) {
  if (io::is_file(files, join_path(folder, kOrbaxTree)) || io::is_ocdbt(files, folder)) return true;
  return io::is_msgpack_map(files, join_path(folder, kLegacyTree)) ||
         !process_databases(files, folder).empty();
}

StoredTree open_orbax_item(const Files& files, const std::string& folder) {
  return ItemReader(files, folder).read();
}

}  // namespace meshwright::checkpoint
