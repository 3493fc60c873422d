// SPDX-License-Identifier: Apache-2.0
// A loop whose number of steps is found while it runs.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the carry, then values from outside. attrs: the size of the carry as int. Regions,
/// both of all operands: the condition, and the step to the next carry. Results: the carry.
extern const OpDef kWhile;

inline constexpr std::array kWhileOps = {&kWhile};

/// Gets the carry and returns a boolean scalar: whether to take another step.
using WhileCondition = std::function<Value(std::span<const Value> carry)>;

/// The carry after the last step; `body` makes the next carry, of the types of the present one.
/// Condition and body may use values from outside, which stay the same over all steps. They are
/// traced once, or again where the carry comes to vary over more mesh axes than it does at first;
/// it does over those over which the condition varies. There is no gradient: what the steps
/// computed cannot be kept for a number of them that is not known. `scan` has one.
std::vector<Value> while_loop(const WhileCondition& condition,
                              const Tracer::Body& body,
                              std::span<const Value> carry,
                              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
