// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/vjp.h"

namespace meshwright::autodiff {

/// Decides which values of `forward` the backward pass keeps. `backward` was traced as a body
/// inside `forward`, with the cotangents as its own arguments. Each capture of `backward` becomes a
/// leading argument if it is kept; otherwise `backward` recomputes it first. Cheap ops are always
/// recomputed, as are changes of shape or dtype whose operand is no larger. Arguments and ops with
/// side effects are never recomputed.
graph::RegionVjp partition(graph::Region& forward,
                           graph::Region& backward,
                           const graph::RegionVjpOptions& options);

}  // namespace meshwright::autodiff
