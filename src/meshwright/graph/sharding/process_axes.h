// SPDX-License-Identifier: Apache-2.0
// Process axes (mesh::AxisKind::process) are manual throughout the program: an argument split over
// them is this process's shard and varies over them, as do values computed from it, until
// global_sum or global_mean reduces them.
#pragma once

#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Returns a parameter, an argument of the program with sharding `stored`, in the form that a step
/// uses: gathered along the process axes that split it. Its gradient is summed over all processes,
/// only once no matter how often the result is used, and is sharded like the parameter. Returns the
/// parameter itself in a program without process axes. Throws invalid_argument if a process axis is
/// not the major axis of a dimension.
Value process_whole(Value parameter,
                    const mesh::Sharding& stored,
                    SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
