// SPDX-License-Identifier: Apache-2.0
// Walks and copies traced regions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Holds one T per value of a region, excluding nested regions.
template <typename T>
class ValueTable {
 public:
  explicit ValueTable(const Region& region) : first_id_(first_id(region)) {
    for (const Node* node : region.args)
      add(*node);
    for (const Node* node : region.nodes)
      add(*node);
  }

  T& operator[](const Value& value) { return items_[position(value)]; }
  const T& operator[](const Value& value) const { return items_[position(value)]; }

 private:
  static int first_id(const Region& region) {
    int first = region.args.empty() ? 0 : region.args[0]->id;
    if (region.args.empty() && !region.nodes.empty()) first = region.nodes[0]->id;
    for (const Node* node : region.nodes)
      first = std::min(first, node->id);
    return first;
  }

  void add(const Node& node) {
    auto slot = static_cast<std::size_t>(node.id - first_id_);
    if (slot >= offsets_.size()) offsets_.resize(slot + 1);
    offsets_[slot] = items_.size();
    items_.resize(items_.size() + node.types.size());
  }

  std::size_t position(const Value& value) const {
    auto slot = static_cast<std::size_t>(value.node()->id - first_id_);
    return offsets_[slot] + static_cast<std::size_t>(value.index());
  }

  int first_id_;
  std::vector<std::size_t> offsets_;  // by node id
  std::vector<T> items_;
};

std::vector<Type> types_of(std::span<const Value> values);

/// Returns the nodes that these values of the region depend on, in order of execution.
std::vector<Node*> nodes_for(const Region& region, std::span<const Value> values);
/// Returns the nodes that the results depend on or that have side effects, in order of execution.
std::vector<Node*> live_nodes(const Region& region);

/// Appends copies of the live nodes of a body to the current region, with `args` in place of its
/// arguments, and returns the results. Arguments that no live node uses may be null.
std::vector<Value> inline_region(const Region& body, std::span<const Value> args);
/// Like inline_region(), but calls `copy` for each node. `copy` emits a replacement for the node
/// with the given operands and returns the results.
using CopyNode = std::function<std::vector<Value>(Node& node, std::vector<Value> operands)>;
std::vector<Value> inline_region(const Region& body,
                                 std::span<const Value> args,
                                 const CopyNode& copy);
/// Like inline_region(), but copies only these values of the body and their dependencies.
std::vector<Value> inline_values(const Region& body,
                                 std::span<const Value> args,
                                 std::span<const Value> values);

/// Returns the captures of all these regions without duplicates.
std::vector<Value> united_captures(std::span<Region* const> regions);
/// Returns `region` if it has exactly these captures, otherwise a copy that has them. `captures`
/// must include those of `region`.
Region& with_captures(Region& region, std::span<const Value> captures);

}  // namespace meshwright::graph
