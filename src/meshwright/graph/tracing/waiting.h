// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Rejects a node that could deadlock: each device decides by a value that varies over `differing`
/// whether it runs `region`, and the region has a collective along one of these axes. `name` names
/// the region in the message.
void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing);

}  // namespace meshwright::graph
