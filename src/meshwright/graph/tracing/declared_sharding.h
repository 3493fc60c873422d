// SPDX-License-Identifier: Apache-2.0
// Shardings that follow from declarations in the program.
#pragma once

#include <optional>
#include <span>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Returns the declared sharding of a value: of an argument of the program, or by constrain().
/// Derived values keep it if no data has to move: casts, element-wise ops, transposes, broadcasts,
/// reshapes and slices of other dimensions, loops, and differentiated functions.
std::optional<mesh::Sharding> find_declared_sharding(const Value& value);

/// Wraps a body and records that its arguments will be these values or slices of them, which have
/// the same shardings. A null value is unknown.
Tracer::Body with_sources(std::span<const Value> sources, const Tracer::Body& body);

}  // namespace meshwright::graph
