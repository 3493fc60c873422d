// SPDX-License-Identifier: Apache-2.0
// Kernels on a mesh. The partitioner knows nothing of the functions that a program calls, so how
// their arrays are split is decided here, before the program is written.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/program.h"

namespace meshwright::graph {

/// The program with every kernel that has KernelAxes in the form in which it can run on this
/// platform ("cpu", "cuda", "tpu", or "" for nowhere); the program itself if it has none.
/// - On the CPU: a region manual over all mesh axes that calls the kernel with parts, split as the
///   activation rules say of its axes; an axis without a rule lies as an operand is known to lie,
///   by constrain or, without any rules, as an argument of the program.
/// - In a manual region: the call alone, manual over the mesh axes that are not so already.
/// - Its reference, where the platform is another one, or where the split is not possible; the
///   program's warnings then tell of the latter, once for each kernel and reason.
/// Where the result of a kernel is used by one sum alone, the kernel gives the sum if it can; not
/// where it is split over devices.
/// Throws unimplemented where a kernel would need a reference and has none.
Program place_kernels(const Program& program, std::string_view platform);

/// The reference of a kernel as a body whose arguments are the kernel's operands and whose results
/// have the types of the kernel's. Throws internal if it computes something else.
Region& reference_body(const Node& node, std::span<const Value> operands);

}  // namespace meshwright::graph
