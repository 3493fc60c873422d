// SPDX-License-Identifier: Apache-2.0
// Types of parts: "batch/d embed/t" says what an array is of whose parts every device has one.
#pragma once

#include <string_view>

#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/shard_spec.h"

namespace meshwright::graph {

/// x, after checking that it has this type: outside of manual regions the sizes are those of x, in
/// them those of the array whose part x is. Throws invalid_argument naming the axis.
Value typed(Value x, mesh::ShardSpec spec, SourceLoc loc = SourceLoc::current());

/// The check alone, for an operation that calls itself `op` in messages.
void check_type(std::string_view op, const Value& x, const mesh::ShardSpec& spec, SourceLoc loc);

}  // namespace meshwright::graph
