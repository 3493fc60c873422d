// SPDX-License-Identifier: Apache-2.0
// The part of one op that each device computes.
#pragma once

#include <vector>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::estimate {

/// The splits with which an op is computed. An operand that is split further is gathered first.
struct NodeParts {
  std::vector<Split> operands;
  Split result;             // of the first result
  mesh::AxisSet summed_by;  // the axes along which the results of devices are added afterwards
};

/// Returns the parts of an op without regions.
NodeParts node_parts(const graph::Node& node, const Splits& splits);

}  // namespace meshwright::estimate
