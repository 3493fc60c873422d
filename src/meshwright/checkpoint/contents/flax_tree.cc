// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/flax_tree.h"

#include "meshwright/checkpoint/contents/raw_array.h"

namespace meshwright::checkpoint {
namespace {

using io::Msgpack;

using OnLeaf = std::function<void(const std::string& path, const Msgpack& value)>;

void visit_flax(const Msgpack& tree,
                const std::string& path,
                Structure& structure,
                const OnLeaf& f) {
  if (const auto node = find_empty_node(tree)) {
    if (!path.empty()) structure.empty.emplace(path, *node);
  } else if (const auto* map = tree.find_as<Msgpack::Map>()) {
    for (const auto& [name, value] : *map)
      visit_flax(value, add_member(structure, path, name), structure, f);
  } else if (const auto* list = tree.find_as<Msgpack::List>()) {
    structure.lists.insert(path);
    for (std::size_t i = 0; i < list->size(); ++i)
      visit_flax((*list)[i], add_member(structure, path, str(i)), structure, f);
  } else {
    if (const auto* text = tree.find_as<std::string>(); text != nullptr && !path.empty())
      structure.texts.emplace(path, *text);
    f(path, tree);
  }
}

}  // namespace

std::optional<EmptyNode> find_empty_node(const Msgpack& value) {
  if (value.find_as<Msgpack::Nil>() != nullptr) return EmptyNode::none;
  if (const auto* map = value.find_as<Msgpack::Map>(); map != nullptr && map->empty())
    return EmptyNode::map;
  if (const auto* list = value.find_as<Msgpack::List>(); list != nullptr && list->empty())
    return EmptyNode::list;
  return std::nullopt;
}

void for_each_flax_leaf(const Msgpack& tree, Structure& structure, const OnLeaf& f) {
  visit_flax(tree, "", structure, f);
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
