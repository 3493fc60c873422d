// SPDX-License-Identifier: Apache-2.0
// Effects of a node beyond computing its results, including those of its regions.
#pragma once

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// True if the node has side effects and must be kept even if unused.
bool has_side_effect(const Node& node);

/// Returns the mesh axes along which the node communicates. All devices along these axes must run
/// the node.
mesh::AxisSet communicates(const Node& node);

}  // namespace meshwright::graph
