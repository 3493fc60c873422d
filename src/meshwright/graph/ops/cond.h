// SPDX-License-Identifier: Apache-2.0
// Conditionals: run one of several bodies, chosen at run time.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the predicate, then the arguments of both branches. Regions: the branch for true, then
/// the branch for false; their results have the same types.
extern const OpDef kCond;
/// Like kCond, with the s32 index of a branch in place of the predicate.
extern const OpDef kSwitchCase;

inline constexpr std::array kCondOps = {&kCond, &kSwitchCase};

/// Returns if_true(operands) if the predicate, a boolean scalar, is true, otherwise
/// if_false(operands). Both must return results of the same types and may use outer values.
///
/// In a manual region, devices may disagree about the predicate. The results then vary over the
/// mesh axes over which the predicate varies, and a collective along those axes in a branch is an
/// error: it would wait forever for devices that took the other branch. Gradients add no such
/// collectives, because every value is made to vary over those axes before it enters a branch. The
/// branches are therefore traced again if they use outer values that do not vary over them.
std::vector<Value> cond(Value predicate,
                        const Tracer::Body& if_true,
                        const Tracer::Body& if_false,
                        std::span<const Value> operands = {},
                        SourceLoc loc = SourceLoc::current());

/// Returns branches[index](operands). The index is an integer scalar, clamped to the valid range.
/// Otherwise like `cond`.
std::vector<Value> switch_case(Value index,
                               const std::vector<Tracer::Body>& branches,
                               std::span<const Value> operands = {},
                               SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
