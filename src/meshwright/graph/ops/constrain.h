// SPDX-License-Identifier: Apache-2.0
// What the model tells the partitioner about how an intermediate array lies on the mesh.
#pragma once

#include <array>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/tensor/axis_spec.h"

namespace meshwright::graph {

/// attrs: mesh::Sharding.
extern const OpDef kConstrain;

inline constexpr std::array kConstrainOps = {&kConstrain};

/// x, laid out by the activation rules of the trace: constrain(x, "batch len embed"). Axes without
/// a rule become whole. Also checks the names against the sizes of x, as einsum does. Without a
/// mesh or without any rules it is x itself. In a manual region only mesh axes that are not manual
/// count, and sizes are not checked. The gradient is laid out in the same way.
Value constrain(Value x, AxisSpec axes, SourceLoc loc = SourceLoc::current());
/// x, laid out like this.
Value constrain(Value x, mesh::Sharding sharding, SourceLoc loc = SourceLoc::current());

/// What is left of it where mesh axes are manual.
mesh::Sharding without_manual_axes(mesh::Sharding sharding);

}  // namespace meshwright::graph
