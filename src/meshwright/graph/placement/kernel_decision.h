// SPDX-License-Identifier: Apache-2.0
// Decides whether an op uses its kernel or its formula, and records why. The decision has two
// stages, because for some ops the gradient differs, too:
// - While tracing, becomes_kernel() asks OpDef::obstacle about types, sizes and the target. An op
//   with an obstacle is traced as its formula; other ops become kernel nodes.
// - place_kernels() decides for each kernel node, by platform, user setting and mesh.
// Both stages record the choice in Program::kernel_choices.
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
  bool is_kernel = false;  // or a call of a library: OpDef::cuda
  /// Text such as "one device", "no kernel for platform cuda" or "fewer than 8 queries".
  std::string reason;
  /// True if the kernel is ruled out only by the split over the mesh, which is worth a warning.
  bool has_split_obstacle = false;
  /// How the kernel is split over the mesh. If absent, one call gets the whole arrays.
  std::optional<KernelSplit> split = {};
};

/// Returns why no CPU kernel runs on a target, such as "no kernel for platform 'cuda'", or an empty
/// string.
std::string obstacle_of_cpu_kernels(const ProgramTarget& target);

/// Decides whether `op`, a kernel node, becomes a kernel on `target`. The decision depends only on
/// the arguments.
KernelDecision decide_kernel(const Node& op, const KernelTarget& target);

/// For functions that emit kernels: true if a call with these operands and attributes should be
/// emitted as a kernel node. False if it should be emitted as its formula, which is then recorded
/// in the program being traced.
bool becomes_kernel(const OpDef& op, std::vector<Value> operands, std::any attrs = {});

}  // namespace meshwright::graph
