// SPDX-License-Identifier: Apache-2.0
// Running one of several bodies, chosen while the program runs.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

/// Operands: the predicate, then the arguments that both branches get. Regions: what runs where it
/// is true, and where it is not; their results agree in type.
extern const OpDef kCond;
/// Likewise with a s32 index of one of the branches.
extern const OpDef kSwitchCase;

inline constexpr std::array kCondOps = {&kCond, &kSwitchCase};

/// if_true(operands) where the predicate, a boolean scalar, is true, else if_false(operands). Both
/// give results of the same types, and may use values from outside.
///
/// In a manual region the devices may disagree about the predicate; the results then vary over the
/// mesh axes that it varies over. Collectives along those axes in a branch, which
/// would wait for devices that do not come, are an error. Gradients add none: whatever comes into a
/// branch counts as varying before it does. For that the branches are traced once more if they use
/// values from outside that do not vary over those axes.
std::vector<Value> cond(Value predicate,
                        const Tracer::Body& if_true,
                        const Tracer::Body& if_false,
                        std::span<const Value> operands = {},
                        SourceLoc loc = SourceLoc::current());

/// branches[index](operands), for an integer scalar, which is clamped to the branches there are.
/// Otherwise as `cond`.
std::vector<Value> switch_case(Value index,
                               const std::vector<Tracer::Body>& branches,
                               std::span<const Value> operands = {},
                               SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
