// SPDX-License-Identifier: Apache-2.0
// How one kernel call is split over a mesh. Not for other folders.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

struct KernelSplit {
  std::vector<mesh::Sharding> operands;
  std::vector<mesh::Sharding> results;
  /// Per result, the mesh axes over which the parts are sums yet to be added.
  std::vector<mesh::AxisSet> summed;
  /// Why it cannot be split so; empty if it can.
  std::string obstacle;
};

/// What decides about a split beside the kernel itself.
struct SplitSetting {
  const mesh::Mesh& mesh;
  mesh::AxisSet available;
  const mesh::AxisRules& rules;
  std::vector<const mesh::Sharding*> known;  // how each operand lies; null: not known
};

KernelSplit split_kernel(const Node& node, const KernelAxes& axes, const SplitSetting& setting);

}  // namespace meshwright::graph
