// SPDX-License-Identifier: Apache-2.0
// How values of the surroundings come into the bodies of manual regions: as the parts that the
// devices have already, gathered inside. So the gradient of a parameter is one reduce_scatter.
#pragma once

#include <functional>
#include <optional>

#include "meshwright/graph/core/node.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// The cut with which a value of the surroundings enters a manual region: over the axes that become
/// manual there, where they split a dimension first; whole if nothing is known or does not divide.
mesh::Sharding cut_at_entry(const Region& region, const Value& outer, const mesh::Mesh& mesh);
/// The type of that part.
Type part_at_entry(const Value& outer, const mesh::Sharding& cut, const mesh::Mesh& mesh);
/// The whole of it again, equal on all devices.
Value gathered_entry(Value part, const mesh::Sharding& cut);

/// Adds to another region what `make` emits.
using InRegion = std::function<Value(Region& region, const std::function<Value()>& make)>;
/// What vary(x, axes) is for a value that came into the region being traced: the same, done where
/// it came in. There its gradient is summed once instead of in each step of a loop, and if it is
/// gathered, summed and scattered at once in the dtype it is used in. Nothing for other values.
std::optional<Value> find_varied_at_source(Value x,
                                           mesh::AxisSet axes,
                                           const InRegion& in_region,
                                           SourceLoc loc);

}  // namespace meshwright::graph
