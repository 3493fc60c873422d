// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/zarr/group.h"

#include "meshwright/base/check.h"
#include "meshwright/io/path.h"

namespace meshwright::io::zarr {
namespace {

constexpr std::uint64_t kMaxGroupBytes = std::uint64_t{1} << 20;
constexpr const char* kGroup = ".zgroup";
constexpr const char* kArray = ".zarray";
constexpr const char* kAttributes = ".zattrs";
constexpr const char* kNode = "zarr.json";  // of version 3, for arrays and groups

enum class Kind { none, array, group };

// Reads a JSON object from a file, if it exists.
std::optional<JsonValue> find_object(const FileSystem& files, const std::string& path) {
  if (!files.find(path)) return std::nullopt;
  const std::string name = files.full_name(path);
  JsonValue out = parse_json(read_text(files, path, kMaxGroupBytes), name);
  if (!out.is_object()) fail(ErrorCode::data_loss, name, ": is not an object");
  return out;
}

Kind kind_of(const JsonValue& node, const std::string& name) {
  try {
    const std::string& type = node.at("node_type").as_text();
    if (type == "array") return Kind::array;
    if (type == "group") return Kind::group;
    fail(ErrorCode::data_loss, "node_type is '", type, "'");
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

Kind kind_of(const FileSystem& files, const std::string& folder) {
  if (files.find(join_path(folder, kArray))) return Kind::array;
  if (files.find(join_path(folder, kGroup))) return Kind::group;
  const std::string path = join_path(folder, kNode);
  const std::optional<JsonValue> node = find_object(files, path);
  return node ? kind_of(*node, files.full_name(path)) : Kind::none;
}

}  // namespace

JsonValue read_attributes(const FileSystem& files, const std::string& folder) {
  if (std::optional<JsonValue> out = find_object(files, join_path(folder, kAttributes)))
    return *std::move(out);
  const std::string path = join_path(folder, kNode);
  const std::optional<JsonValue> node = find_object(files, path);
  const JsonValue* out = node ? node->find("attributes") : nullptr;
  if (out == nullptr) return JsonValue(JsonValue::Object());
  if (!out->is_object())
    fail(ErrorCode::data_loss, files.full_name(path), ": attributes: is not an object");
  return *out;
}

std::optional<Group> find_group(const FileSystem& files, const std::string& folder) {
  if (kind_of(files, folder) != Kind::group) return std::nullopt;
  Group out{.attributes = read_attributes(files, folder)};
  for (const FolderEntry& entry : files.list(folder)) {
    if (entry.kind != FileKind::folder) continue;
    const Kind kind = kind_of(files, join_path(folder, entry.name));
    if (kind == Kind::array) out.arrays.push_back(entry.name);
    if (kind == Kind::group) out.groups.push_back(entry.name);
  }
  return out;
}

void write_group(FileSystem& files, const std::string& folder) {
  write_text(files, join_path(folder, kGroup), "{\"zarr_format\":2}", Durability::synced);
}

void write_attributes(FileSystem& files, const std::string& folder, const JsonValue& attributes) {
  MW_CHECK(attributes.is_object(), "zarr: attributes must be an object, got ",
           to_string(attributes));
  write_text(files, join_path(folder, kAttributes), to_string(attributes), Durability::synced);
}

}  // namespace meshwright::io::zarr
