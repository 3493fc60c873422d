// SPDX-License-Identifier: Apache-2.0
// Sharding constraints on intermediate arrays, which tell the partitioner how to split them.
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

/// Shards x by the activation rules of the trace, as in constrain(x, "batch len embed"). Axes
/// without a rule are replicated. Checks the sizes of the named axes, as einsum does. Returns x
/// itself if there is no mesh or there are no rules. In a manual region, ignores mesh axes that are
/// manual and does not check sizes. The gradient is sharded in the same way.
Value constrain(Value x, AxisSpec axes, SourceLoc loc = SourceLoc::current());
/// Shards x with the given sharding. Throws invalid_argument for mesh axes that do not exist or are
/// manual here.
Value constrain(Value x, mesh::Sharding sharding, SourceLoc loc = SourceLoc::current());

/// Returns the sharding without the mesh axes that are manual here.
mesh::Sharding without_manual_axes(mesh::Sharding sharding);

}  // namespace meshwright::graph
