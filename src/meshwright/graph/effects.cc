// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/effects.h"

#include <algorithm>

#include "meshwright/graph/op_def.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

// The first collective along one of these axes; it may be deep inside.
const Node* find_collective(const Region& region, mesh::AxisSet axes) {
  for (const Node* node : region.nodes) {
    if ((communicates(*node) & axes).empty()) continue;
    for (const Region* inner : node->regions) {
      if (const Node* found = find_collective(*inner, axes)) return found;
    }
    return node;
  }
  return nullptr;
}

}  // namespace

bool has_side_effect(const Node& node) {
  return node.op->has_side_effect ||
         std::ranges::any_of(node.regions, [](const Region* r) { return r->has_side_effect; });
}

mesh::AxisSet communicates(const Node& node) {
  mesh::AxisSet axes =
      node.op->communicates != nullptr ? node.op->communicates(node) : mesh::AxisSet();
  for (const Region* region : node.regions)
    axes = axes | region->communicates;
  return axes;
}

void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing) {
  mesh::AxisSet axes = region.communicates & differing;
  if (axes.empty()) return;
  Tracer& tracer = Tracer::current();
  const Node& collective = *find_collective(region, axes);
  std::string names = to_string(tracer.mesh(), axes);
  reject(node, "devices along mesh axes ", names, " decide by themselves whether they run ", name,
         ", but its ", collective.op->name, origin(tracer.graph(), collective),
         " wants all of them and would wait for ever\ncommunicate before it, or make the value "
         "that decides equal along ",
         names, " (all_reduce)");
}

}  // namespace meshwright::graph
