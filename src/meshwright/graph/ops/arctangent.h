// SPDX-License-Identifier: Apache-2.0
// The StableHLO text of atan and atan2.
#pragma once

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {

/// Writes `node` as atan2(y, x), the angle of the point (x, y).
void write_arctangent(Writer& writer, const Node& node, const TextValue& y, const TextValue& x);

}  // namespace meshwright::graph
