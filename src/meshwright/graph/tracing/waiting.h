// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "meshwright/graph/core/node.h"

namespace meshwright::graph {

/// Rejects a node if devices would wait in it for ever: each device decides by a value that varies
/// over `differing` whether it runs `region`, and the region holds a collective along one of these
/// axes, which needs all devices. `name` is the region's, for the message.
void reject_if_waiting(const Node& node,
                       const Region& region,
                       std::string_view name,
                       mesh::AxisSet differing);

}  // namespace meshwright::graph
