// SPDX-License-Identifier: Apache-2.0
// Shardings implied by declarations in the program.
#pragma once

#include <optional>
#include <span>

#include "meshwright/graph/core/value.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

/// Returns the declared sharding of a value, which comes from a program argument or from
/// constrain(). It propagates to derived values if no data has to move: through casts, element-wise
/// ops, transposes, broadcasts, reshapes and slices of other dimensions, loops and differentiated
/// functions.
std::optional<mesh::Sharding> find_declared_sharding(const Value& value);

/// Wraps a body and records that its arguments will be these values, or slices of them with the
/// same shardings. A null value stands for an unknown argument.
Tracer::Body with_sources(std::span<const Value> sources, const Tracer::Body& body);

}  // namespace meshwright::graph
