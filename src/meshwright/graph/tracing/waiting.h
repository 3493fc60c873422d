// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Rejects a node that could deadlock: a value that varies over `differing` decides whether a
/// device runs `region`, and `region` has a collective along one of these axes. The message calls
/// the region `name`.
void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing);

}  // namespace meshwright::graph
