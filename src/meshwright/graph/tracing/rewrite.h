// SPDX-License-Identifier: Apache-2.0
// Walking and copying regions that are already traced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// One T for every value of a region, not of the regions inside it.
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

/// The nodes that these values of the region depend on, in order of execution.
std::vector<Node*> nodes_for(const Region& region, std::span<const Value> values);
/// The nodes that the results depend on or that have a side effect, in order of execution.
std::vector<Node*> live_nodes(const Region& region);

/// Appends copies of the live nodes of a body to the region being traced, with these values for its
/// arguments, and returns the results. An argument that no live node uses may be an empty Value.
std::vector<Value> inline_region(const Region& body, std::span<const Value> args);
/// The same, where `copy` makes the copy of each node: it adds what it likes for a node of these
/// operands, and returns the results.
using CopyNode = std::function<std::vector<Value>(Node& node, std::vector<Value> operands)>;
std::vector<Value> inline_region(const Region& body,
                                 std::span<const Value> args,
                                 const CopyNode& copy);
/// The same for only these values of the body and what they depend on.
std::vector<Value> inline_values(const Region& body,
                                 std::span<const Value> args,
                                 std::span<const Value> values);

/// The captures of all these regions, each once.
std::vector<Value> united_captures(std::span<Region* const> regions);
/// The region with all of these as trailing arguments, which its own captures are among: itself, or
/// a copy.
Region& with_captures(Region& region, std::span<const Value> captures);

}  // namespace meshwright::graph
