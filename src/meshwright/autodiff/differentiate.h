// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "meshwright/graph/core/vjp.h"

namespace meshwright::autodiff {

/// Splits a body, whose captures count as arguments, into a forward and a backward region. See
/// graph::RegionVjp.
graph::RegionVjp differentiate(const graph::Region& body, const graph::RegionVjpOptions& options);

}  // namespace meshwright::autodiff
