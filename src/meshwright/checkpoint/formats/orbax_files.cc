// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/formats/orbax_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "meshwright/base/json.h"
#include "meshwright/base/tree.h"

namespace meshwright::checkpoint {
namespace {

// With this type, Orbax restores an array without a sharding.
constexpr std::string_view kArray = "np.ndarray";
constexpr std::string_view kText = "string";
constexpr std::array<std::pair<EmptyNode, std::string_view>, 4> kEmptyTypes = {{
    {EmptyNode::none, "None"},
    {EmptyNode::map, "Dict"},
    {EmptyNode::list, "List"},
    {EmptyNode::tuple, "Tuple"},
}};

std::string_view empty_type(EmptyNode node) {
  const auto node_of = [](const auto& entry) { return entry.first; };
  return std::ranges::find(kEmptyTypes, node, node_of)->second;
}

// Returns text such as "('model', 'w')", as Orbax writes it; any unique text would do.
std::string tuple_text(const std::vector<std::string>& names) {
  std::string out = "(";
  for (std::size_t i = 0; i < names.size(); ++i)
    out += str(i == 0 ? "'" : ", '", names[i], "'");
  return str(out, names.size() == 1 ? ",)" : ")");
}

// The members of a tree, each with the value type by which Orbax restores it.
class OrbaxTree {
 public:
  explicit OrbaxTree(const CheckpointPlan& plan) : structure_(plan.structure) {
    for_each(plan.arrays, [&](const std::string& path, const ArrayPlan&) { add(path, kArray); });
    for (const auto& [path, node] : structure_.empty)
      add(path, empty_type(node));
    for (const auto& [path, text] : structure_.texts)
      add(path, kText);
  }

  void write(JsonWriter& json) const {
    json.begin_object();
    for (const auto& [path, type] : types_) {
      json.key(tuple_text(member_names(structure_, path))).begin_object();
      write_keys(json, path);
      json.key("value_metadata").begin_object().field("value_type", type);
      json.field("skip_deserialize", type != kArray && type != kText).end_object();
      json.end_object();
    }
    json.end_object();
  }

 private:
  void add(const std::string& path, std::string_view type) {
    types_.emplace(path, type);
    std::string parent;
    for (const std::string& name : member_names(structure_, path)) {
      members_[parent].insert(name);
      parent = join_tree_path(parent, name);
    }
  }

  void write_keys(JsonWriter& json, const std::string& path) const {
    json.key("key_metadata").begin_array();
    std::string parent;
    for (const std::string& name : member_names(structure_, path)) {
      json.begin_object().field("key", name);
      json.field("key_type", is_list(parent) ? kOrbaxListKey : kOrbaxMapKey).end_object();
      parent = join_tree_path(parent, name);
    }
    json.end_array();
  }

  // A list that lost members is a map.
  bool is_list(const std::string& path) const {
    if (!structure_.lists.contains(path)) return false;
    const std::set<std::string>& names = members_.at(path);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names.contains(str(i))) return false;
    return true;
  }

  const Structure& structure_;
  std::map<std::string, std::string_view> types_;         // by path
  std::map<std::string, std::set<std::string>> members_;  // of each branch
};

std::string orbax_tree(const CheckpointPlan& plan, bool is_ocdbt) {
  JsonWriter json;
  json.begin_object().key("tree_metadata");
  OrbaxTree(plan).write(json);
  json.field("use_ocdbt", is_ocdbt).field("use_zarr3", false);
  json.field("store_array_data_equal_to_fill_value", true).key("custom_metadata").null();
  return json.end_object().str();
}

void write_texts(JsonWriter& json, const Tree<std::string>& texts) {
  if (texts.is_leaf()) {
    json.value(texts.value());
    return;
  }
  json.begin_object();
  for (const auto& [name, child] : texts.children()) {
    json.key(name);
    write_texts(json, child);
  }
  json.end_object();
}

// Returns the values of texts; nullopt if there are none.
std::optional<std::string> orbax_texts(const CheckpointPlan& plan) {
  if (plan.structure.texts.empty()) return std::nullopt;
  Tree<std::string> texts;
  for (const auto& [path, text] : plan.structure.texts)
    texts[orbax_folder(path, plan.structure)] = text;
  JsonWriter json;
  write_texts(json, texts);
  return json.str();
}

std::string orbax_handlers(const CheckpointPlan& plan, bool has_step) {
  JsonWriter json;
  json.begin_object();
  json.field(
      "item_handlers",
      "orbax.checkpoint._src.handlers.standard_checkpoint_handler.StandardCheckpointHandler");
  json.key("metrics").begin_object().end_object();
  json.key("performance_metrics").begin_object().end_object();
  json.key("custom_metadata").begin_object();
  if (has_step) json.field(kOrbaxStep, plan.step);
  json.end_object();
  return json.end_object().str();
}

}  // namespace

std::string orbax_folder(const std::string& path, const Structure& structure) {
  return join(member_names(structure, path), ".");
}

std::optional<EmptyNode> find_orbax_empty(std::string_view name) {
  for (const auto& [node, type] : kEmptyTypes)
    if (type == name) return node;
  return std::nullopt;
}

void write_orbax_files(io::FileSystem& files,
                       const CheckpointPlan& plan,
                       const OrbaxFileOptions& options) {
  const auto write = [&](const char* file, const std::string& text) {
    io::write_text(files, file, text, io::Durability::synced);
  };
  if (const auto texts = orbax_texts(plan)) write(kOrbaxTexts, *texts);
  write(kOrbaxTree, orbax_tree(plan, options.is_ocdbt));
  write(kOrbaxHandlers, orbax_handlers(plan, options.is_ocdbt));
  write(kOrbaxMarker, str(kOrbaxCommitted, options.name));
}

}  // namespace meshwright::checkpoint
