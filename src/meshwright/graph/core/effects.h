// SPDX-License-Identifier: Apache-2.0
// What a node does beside computing its results, by itself or by what its regions hold.
#pragma once

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Whether the node stays though nobody uses its results.
bool has_side_effect(const Node& node);

/// The mesh axes along which the node works only if all devices run it: those of a collective.
mesh::AxisSet communicates(const Node& node);

}  // namespace meshwright::graph
