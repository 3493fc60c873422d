// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

const Type& Value::type() const {
  MW_CHECK(!is_null(), "an empty Value has no type");
  return node_->types[static_cast<std::size_t>(index_)];
}

std::int64_t Value::dim(int position) const {
  int from_start = position < 0 ? position + rank() : position;
  MW_CHECK(from_start >= 0 && from_start < rank(), "dimension ", position, " is out of range for ",
           type());
  return dims()[static_cast<std::size_t>(from_start)];
}

std::string to_string(const Value& value) {
  return value.is_null() ? "empty Value" : to_string(value.type().array());
}

Node& Graph::new_node() {
  Node& node = nodes_.emplace_back();
  node.id = num_nodes() - 1;
  return node;
}

Region& Graph::new_region(Region* parent) {
  Region& region = regions_.emplace_back();
  region.parent = parent;
  return region;
}

int Graph::intern_module_path(const std::string& path) {
  auto [found, is_new] = path_numbers_.try_emplace(path, static_cast<int>(paths_.size()));
  if (is_new) paths_.push_back(path);
  return found->second;
}

const std::string& Graph::module_path(int number) const {
  return paths_[static_cast<std::size_t>(number)];
}

std::optional<Value> find_capture(const Value& argument) {
  const Region& region = *argument.node()->region;
  int number = argument.node()->attr<int>() - region.num_own_args();
  if (number < 0) return std::nullopt;
  return region.captures[static_cast<std::size_t>(number)];
}

std::string origin(const Graph& graph, const Node& node) {
  const std::string& path = graph.module_path(node.module_path);
  if (path.empty() && node.loc.line == 0) return "";
  if (path.empty()) return str(" (", node.loc, ")");
  return str(" (", path, ", ", node.loc, ")");
}

}  // namespace meshwright::graph
