// SPDX-License-Identifier: Apache-2.0
// A loop whose number of steps is known only at run time.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the carry, then outer values. attrs: the number of carry values as int. Regions, both
/// of which take all operands: the condition, and the body, which returns the next carry. Results:
/// the carry.
extern const OpDef kWhile;

inline constexpr std::array kWhileOps = {&kWhile};

/// Takes the carry and returns a boolean scalar, true to take another step.
using WhileCondition = std::function<Value(std::span<const Value> carry)>;

/// Returns the carry after the last step. `body` returns the next carry, which has the same types
/// as the current one. The condition and the body may use outer values, which are the same in all
/// steps. Both are traced once, and again if the carry turns out to vary over more mesh axes than
/// at first; it varies at least over the axes over which the condition varies. There is no
/// gradient, because the number of steps whose values would have to be kept is unknown; use `scan`
/// for that.
std::vector<Value> while_loop(const WhileCondition& condition,
                              const Tracer::Body& body,
                              std::span<const Value> carry,
                              SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
