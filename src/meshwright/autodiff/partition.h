// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/vjp.h"

namespace meshwright::autodiff {

/// Decides which values of `forward` the backward pass keeps. `backward` was traced as a body
/// inside `forward` with the cotangents as its own arguments; its captures become leading arguments
/// if they are kept and are recomputed at its start if not. Always recomputed: cheap ops, and
/// changes of shape or dtype where keeping the operand costs no more. Never recomputed: arguments,
/// and ops with side effects.
graph::RegionVjp partition(graph::Region& forward,
                           graph::Region& backward,
                           const graph::RegionVjpOptions& options);

}  // namespace meshwright::autodiff
