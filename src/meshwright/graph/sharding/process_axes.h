// SPDX-License-Identifier: Apache-2.0
// Mesh axes between processes (mesh::AxisKind::process) are manual for the whole program: an
// argument that they split is this process's shard and varies over them, as do values computed from
// it, until global_sum or global_mean reduces them.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// A parameter, an argument of the program stored like this, as the computations of a step use it:
/// gathered along process axes that split it. Its gradient is summed over all processes, once
/// however often the result is used, and cut as the parameter is. In a program without process axes
/// the parameter itself. Throws invalid_argument where a process axis is not the major one of its
/// dimension.
Value process_whole(Value parameter,
                    const mesh::Sharding& stored,
                    SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
