// SPDX-License-Identifier: Apache-2.0
// How values of the surroundings come into the bodies of manual regions: as the parts that the
// devices have already, gathered inside. So the gradient of a parameter is one reduce_scatter.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "meshwright/graph/node.h"
#include "meshwright/graph/tracer.h"
#include "meshwright/mesh/mesh.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// What is known of a region only while programs are being traced.
struct RegionNotes {
  mesh::AxisSet manual_axes;            // in it, with those of the regions around
  std::vector<mesh::Sharding> entries;  // of a manual region: how each capture is cut
  std::vector<Value> sources;           // what own arguments will be; empty if that is not known
  std::unordered_map<Value, mesh::Sharding, ValueHash> declared;    // how arguments of programs lie
  std::unordered_map<Value, std::vector<Value>, ValueHash> varied;  // what vary() gave
};
/// They last until the outermost Tracer of this thread ends.
RegionNotes& notes_of(const Region& region);
void forget_notes();

/// The body, with a note that its arguments will be these values, or slices of them: they lie on
/// the mesh as these do. An empty value is one of which nothing is known.
Tracer::Body with_sources(std::span<const Value> sources, const Tracer::Body& body);

/// How a value lies on the mesh as far as that was declared, by the argument of the program it is
/// or by constrain(). Casts, loops and functions that are differentiated keep it.
std::optional<mesh::Sharding> find_declared_sharding(const Value& value);

/// Whether mesh axes become manual in this region.
bool is_manual(const Region& region);
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
