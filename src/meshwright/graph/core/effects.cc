// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/core/effects.h"

#include <algorithm>

#include "meshwright/graph/core/op_def.h"

namespace meshwright::graph {
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

}  // namespace meshwright::graph
