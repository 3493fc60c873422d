// SPDX-License-Identifier: Apache-2.0
// Types of shards: text such as "batch/d embed/t" gives the axes of the whole array and the mesh
// axes that split them.
#pragma once

#include <string_view>

#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/shard_spec.h"

namespace meshwright::graph {

/// Returns x after checking that it has this type. The axis sizes are those of the whole array: in
/// a manual region, x is a shard of it. If it has another type, throws invalid_argument, naming the
/// axis.
Value typed(Value x, mesh::ShardSpec spec, SourceLoc loc = SourceLoc::current());

/// Only checks the type; messages begin with `op`.
void check_type(std::string_view op, const Value& x, const mesh::ShardSpec& spec, SourceLoc loc);

}  // namespace meshwright::graph
