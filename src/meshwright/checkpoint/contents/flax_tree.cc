// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/flax_tree.h"

#include "meshwright/checkpoint/contents/raw_array.h"

namespace meshwright::checkpoint {
namespace {

using io::Msgpack;

using OnLeaf = std::function<void(const std::string& path, const Msgpack& value)>;

// Returns the kind of a value that is nothing, or a container without members.
std::optional<EmptyNode> find_empty_node(const Msgpack& value) {
  if (value.find_as<Msgpack::Nil>() != nullptr) return EmptyNode::none;
  if (const auto* map = value.find_as<Msgpack::Map>(); map != nullptr && map->empty())
    return EmptyNode::map;
  if (const auto* list = value.find_as<Msgpack::List>(); list != nullptr && list->empty())
    return EmptyNode::list;
  return std::nullopt;
}

struct Visitor {
  Structure& structure;
  const OnLeaf& f;
  bool (*is_leaf)(const Msgpack& map);

  void visit(const Msgpack& value, const std::string& path) const {
    const auto* map = value.find_as<Msgpack::Map>();
    if (map != nullptr && is_leaf != nullptr && is_leaf(value)) return f(path, value);
    if (const auto node = find_empty_node(value)) {
      if (!path.empty()) structure.empty.emplace(path, *node);
    } else if (map != nullptr) {
      for (const auto& [name, member] : *map)
        visit(member, add_member(structure, path, name));
    } else if (const auto* list = value.find_as<Msgpack::List>()) {
      structure.lists.insert(path);
      for (std::size_t i = 0; i < list->size(); ++i)
        visit((*list)[i], add_member(structure, path, str(i)));
    } else {
      if (const auto* text = value.find_as<std::string>(); text != nullptr && !path.empty())
        structure.texts.emplace(path, *text);
      f(path, value);
    }
  }
};

}  // namespace

void for_each_flax_leaf(const Msgpack& tree,
                        Structure& structure,
                        const OnLeaf& f,
                        bool (*is_leaf)(const Msgpack& map)) {
  Visitor{structure, f, is_leaf}.visit(tree, "");
}

std::optional<StoredArray> find_flax_array(const io::Msgpack& value,
                                           const std::shared_ptr<io::FileSystem>& files,
                                           const std::string& file) {
  if (const auto* array = value.find_as<io::MsgpackArray>()) {
    RawPiece piece{.ranges = whole_ranges(array->type.dims), .file = file, .places = array->pieces};
    return raw_array(files, array->type, {std::move(piece)});
  }
  if (const auto* number = value.find_as<std::int64_t>())
    return stored_value(HostTensor::scalar(*number));
  if (const auto* number = value.find_as<double>())
    return stored_value(HostTensor::scalar(*number));
  if (const auto* truth = value.find_as<bool>()) return stored_value(HostTensor::scalar(*truth));
  return std::nullopt;
}

}  // namespace meshwright::checkpoint
