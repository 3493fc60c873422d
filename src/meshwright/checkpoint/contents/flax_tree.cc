// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/contents/flax_tree.h"

#include "meshwright/checkpoint/contents/raw_array.h"

namespace meshwright::checkpoint {
namespace {

using io::Msgpack;

std::string below(const std::string& path, const std::string& name) {
  return path.empty() ? name : str(path, "/", name);
}

void visit_flax(const Msgpack& tree,
                const std::string& path,
                const std::function<void(const std::string&, const Msgpack&)>& f) {
  if (const auto* map = tree.find_as<Msgpack::Map>(); map != nullptr && !map->empty()) {
    for (const auto& [name, value] : *map)
      visit_flax(value, below(path, name), f);
  } else if (const auto* list = tree.find_as<Msgpack::List>(); list != nullptr && !list->empty()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      visit_flax((*list)[i], below(path, str(i)), f);
  } else {
    f(path, tree);
  }
}

}  // namespace

void for_each_flax_leaf(
    const io::Msgpack& tree,
    const std::function<void(const std::string& path, const io::Msgpack& value)>& f) {
  visit_flax(tree, "", f);
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
