// SPDX-License-Identifier: Apache-2.0
// Trading time for memory: what a backward pass keeps of a function, and what it computes again.
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

// Policies. The arguments of the function are always kept.

SavePolicy keep_nothing();
SavePolicy keep_everything();
/// Results of dot_general and convolution.
SavePolicy keep_dots();
/// Results of dot_general without batch dimensions: products with weights, not attention scores.
SavePolicy keep_dots_without_batch();
/// Whatever is marked by `save`, with a name or without.
SavePolicy keep_saved();
/// Keeps values marked by `save` with one of these names.
SavePolicy keep_saved(std::vector<std::string> names);
/// Keeps the values that either policy keeps.
SavePolicy operator|(SavePolicy a, SavePolicy b);

/// body(args), of which the backward pass keeps only what the policy says. Values from outside that
/// the body uses count as arguments.
std::vector<Value> remat(std::span<const Value> args,
                         const Tracer::Body& body,
                         SavePolicy policy = keep_nothing(),
                         SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
