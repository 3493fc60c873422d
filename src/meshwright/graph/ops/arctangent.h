// SPDX-License-Identifier: Apache-2.0
// How arctangents are written.
#pragma once

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {

/// Writes `node` as the angle of the point (x, y).
void write_arctangent(Writer& writer, const Node& node, const TextValue& y, const TextValue& x);

}  // namespace meshwright::graph
