// SPDX-License-Identifier: Apache-2.0
// Rematerialization: trades time for memory by recomputing values in the backward pass.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "meshwright/graph/core/vjp.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// attrs: SavePolicy. Regions: the body, whose arguments are the operands.
extern const OpDef kRemat;

inline constexpr std::array kRematOps = {&kRemat};

// Policies. All of them keep the arguments of the function.

SavePolicy keep_nothing();
SavePolicy keep_everything();
/// Keeps the results of matrix products and convolutions.
SavePolicy keep_dots();
/// Keeps the results of matrix products without batch dimensions: those with weights, but neither
/// attention scores nor convolutions.
SavePolicy keep_dots_without_batch();
/// Keeps all values marked by `save`, with or without a name.
SavePolicy keep_saved();
/// Keeps the values marked by `save` with one of these names.
SavePolicy keep_saved(std::vector<std::string> names);
/// Keeps the results of nodes for which this is true.
SavePolicy keep_results_of(bool (*is_kept)(const Node& node));
/// Keeps the same values, in pinned memory of the host.
SavePolicy on_host(SavePolicy policy);
/// Keeps the values that either policy keeps; on the host if either does.
SavePolicy operator|(SavePolicy a, SavePolicy b);

/// Returns body(args). The backward pass keeps only the values that the policy allows and
/// recomputes the rest. Outer values that the body uses count as arguments.
std::vector<Value> remat(std::span<const Value> args,
                         const Tracer::Body& body,
                         SavePolicy policy = keep_nothing(),
                         SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
