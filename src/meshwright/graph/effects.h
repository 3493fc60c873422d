// SPDX-License-Identifier: Apache-2.0
// What a node does beside computing its results, by itself or by what its regions hold.
#pragma once

#include "meshwright/graph/node.h"

namespace meshwright::graph {

/// Whether the node stays though nobody uses its results.
bool has_side_effect(const Node& node);

/// The mesh axes along which the node works only if all devices run it: those of a collective.
mesh::AxisSet communicates(const Node& node);

/// Rejects a node, one region of which each device runs as it finds by a value varying over
/// `differing`, if there is a collective along one of these axes in `region`: a device would wait
/// there for those that do not come. `name` is that of the region.
void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing);

}  // namespace meshwright::graph
