// SPDX-License-Identifier: Apache-2.0
// The one place that decides whether an op is computed by its kernel or by its formula, and says
// why. The choice has two stages, because some ops differ in their gradients too:
// - While tracing, becomes_kernel() asks OpDef::obstacle about types, sizes and the processor. An
//   op with an obstacle is traced as its formula; the others become kernel nodes.
// - place_kernels() decides for each kernel node, by platform, wish and mesh.
// Both stages call decide_kernel and record the choice in Program::kernel_choices.
#pragma once

#include <any>
#include <optional>
#include <string>
#include <vector>

#include "meshwright/graph/core/kernel_target.h"
#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/placement/kernel_split.h"

namespace meshwright::graph {

struct KernelDecision {
  bool is_kernel = false;
  /// "one device", "no kernel for platform cuda", "fewer than 8 queries".
  std::string reason;
  /// True if only the split over the mesh prevents the kernel, which deserves a warning.
  bool has_split_obstacle = false;
  /// How a kernel is split over the mesh. Absent: one call with whole arrays.
  std::optional<KernelSplit> split = {};
};

/// Decides whether `op` becomes a kernel on `target`. Depends on its arguments only, never on the
/// host, except that OpDef::obstacle may look at this host's processor if `target.cpu` is absent.
/// Without a platform, `op` is a candidate that is not in a graph yet.
KernelDecision decide_kernel(const Node& op, const KernelTarget& target);

/// For functions that emit kernels: true if a call with these operands and attributes should be
/// emitted as a kernel node, false if as its formula; records the formula in the traced program.
bool becomes_kernel(const OpDef& op, std::vector<Value> operands, std::any attrs = {});

}  // namespace meshwright::graph
