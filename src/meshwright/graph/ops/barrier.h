// SPDX-License-Identifier: Apache-2.0
// Barriers that keep the compiler from moving or merging computations.
#pragma once

#include <array>
#include <vector>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// Results: the operands.
extern const OpDef kOptimizationBarrier;

inline constexpr std::array kBarrierOps = {&kOptimizationBarrier};

/// Returns the values unchanged. Users of the results wait for all operands, and XLA neither moves
/// computations across the barrier nor merges them across it. The cotangents pass through a
/// barrier, too.
std::vector<Value> optimization_barrier(std::vector<Value> values,
                                        SourceLoc loc = SourceLoc::current());
Value optimization_barrier(Value x, SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
