// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/waiting.h"

#include <string>

#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::graph {
namespace {

// Returns the first collective along one of these axes, including those in nested regions.
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

void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing) {
  mesh::AxisSet axes = region.communicates & differing;
  if (axes.empty()) return;
  Tracer& tracer = Tracer::current();
  const Node& collective = *find_collective(region, axes);
  std::string names = to_string(tracer.mesh(), axes);
  reject(node, "devices along mesh axes ", names, " decide independently whether to run ", name,
         ", but its ", collective.op->name, origin(tracer.graph(), collective),
         " needs all of them and would wait forever\ncommunicate before it, or make the value "
         "that decides equal along ",
         names, " (all_reduce)");
}

}  // namespace meshwright::graph
