// SPDX-License-Identifier: Apache-2.0
// How values lie on the mesh, as far as a program says so.
#pragma once

#include <optional>
#include <span>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// How a value lies on the mesh as far as that was declared: by the argument of the program that it
/// is or by constrain(). What is made of such a value keeps it where the devices have the parts
/// already: casts, element-wise ops, transposes, broadcasts, reshapes and slices in the dimensions
/// they leave whole, loops, and functions that are differentiated.
std::optional<mesh::Sharding> find_declared_sharding(const Value& value);

/// The body, with a note that its arguments will be these values, or slices of them: they lie on
/// the mesh as these do. An empty value is one of which nothing is known.
Tracer::Body with_sources(std::span<const Value> sources, const Tracer::Body& body);

}  // namespace meshwright::graph
