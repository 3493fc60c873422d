// SPDX-License-Identifier: Apache-2.0
// How outer values enter manual regions: each device passes the shard it already has, and the body
// gathers. So the gradient of a parameter is one reduce_scatter.
#pragma once

#include <functional>
#include <optional>

#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Returns the sharding with which an outer value enters a manual region: over the axes that become
/// manual there and come first in a dimension. Replicated if the sharding is unknown or uneven.
mesh::Sharding cut_at_entry(const Region& region, const Value& outer, const mesh::Mesh& mesh);
/// Returns the type of that shard.
Type shard_at_entry(const Value& outer, const mesh::Sharding& cut, const mesh::Mesh& mesh);
/// Gathers the whole value, equal on all devices.
Value gathered_entry(Value part, const mesh::Sharding& cut);

/// Emits the nodes of `make` into another region.
using InRegion = std::function<Value(Region& region, const std::function<Value()>& make)>;
/// Returns vary(x, axes) for a value that entered the current region, applied at the entry; absent
/// for other values. At the entry the gradient is summed once instead of in each step of a loop,
/// and a gathered value's gradient is one reduce_scatter in the dtype in which it is used.
std::optional<Value> find_varied_at_source(Value x,
                                           mesh::AxisSet axes,
                                           const InRegion& in_region,
                                           SourceLoc loc);

}  // namespace meshwright::graph
