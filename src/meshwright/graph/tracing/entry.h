// SPDX-License-Identifier: Apache-2.0
// How outer values enter manual regions: each device passes the shard that it already has, and the
// body gathers the whole value. The gradient of a parameter is then a single reduce_scatter.
#pragma once

#include <functional>
#include <optional>

#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Returns the sharding with which an outer value enters a manual region: each dimension is split
/// over those of its leading mesh axes that become manual, if its size is divisible. Replicated if
/// the value's sharding is unknown.
mesh::Sharding cut_at_entry(const Region& region, const Value& outer, const mesh::Mesh& mesh);
/// Returns the type of a shard of `outer` split by `cut`.
Type shard_at_entry(const Value& outer, const mesh::Sharding& cut, const mesh::Mesh& mesh);
/// Returns the whole value, equal on all devices, gathered from its shards.
Value gathered_entry(Value part, const mesh::Sharding& cut);

/// Calls `make` and adds its nodes to another region.
using InRegion = std::function<Value(Region& region, const std::function<Value()>& make)>;
/// Returns vary(x, axes), applied at the entry, for a value that entered the current region;
/// nullopt for other values. When this is done at the entry, the gradient is summed once instead of
/// in each step of a loop, and the gradient of a gathered value is one reduce_scatter in the dtype
/// in which the value is used.
std::optional<Value> find_varied_at_source(Value x,
                                           mesh::AxisSet axes,
                                           const InRegion& in_region,
                                           SourceLoc loc);

}  // namespace meshwright::graph
