// SPDX-License-Identifier: Apache-2.0
// Splits one kernel call over a mesh. Internal to graph/.
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
  /// Per result: the mesh axes over which the shards' sums must be reduced.
  std::vector<mesh::AxisSet> summed;
  /// The reason why this split is impossible; empty if it is possible.
  std::string obstacle;
};

/// The inputs, besides the kernel, that determine a split.
struct SplitSetting {
  const mesh::Mesh& mesh;
  mesh::AxisSet available;
  const mesh::AxisRules& rules;
  std::vector<const mesh::Sharding*> known;  // sharding of each operand; null if unknown
};

KernelSplit split_kernel(const Node& node, const KernelAxes& axes, const SplitSetting& setting);

}  // namespace meshwright::graph
