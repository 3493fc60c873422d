// SPDX-License-Identifier: Apache-2.0
// Replaces kernel nodes with calls to their kernels or with their formulas. The partitioner cannot
// see into the functions that a program calls, so the split over the mesh is chosen here, before
// the program is written.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::graph {

/// Returns the program with every kernel that has KernelAxes in a form that runs on this platform
/// ("cpu", "cuda", "tpu", or "" for none), as chosen by decide_kernel; returns the program itself
/// if it has no such kernel. If `wants_kernels` is false, uses formulas everywhere.
/// - On CPUs with several devices: a region, manual over all mesh axes, that calls the kernel with
///   shards. An axis follows the activation rules. An axis without a rule is split as in an operand
///   if that operand is a result of constrain or, if there are no rules, an argument of the
///   program.
/// - In a manual region: the call, manual over the remaining mesh axes.
/// - Elsewhere, or if the split is impossible: the formula. Impossible splits add a warning to the
///   program, one per kernel and reason.
/// If a kernel's result is used in only one sum, the kernel also computes the sum, provided that it
/// can and that it is not split over devices. Records every choice in Program::kernel_choices.
/// Throws unimplemented if a kernel needs a formula and has none.
Program place_kernels(const Program& program, std::string_view platform, bool wants_kernels = true);

/// Traces the formula of a kernel as a body whose arguments are the kernel's operands and whose
/// results are the kernel's results. Throws internal if the formula's types differ from the
/// kernel's.
Region& reference_body(const Node& node, std::span<const Value> operands);

}  // namespace meshwright::graph
