// SPDX-License-Identifier: Apache-2.0
// Reductions over the whole batch, wherever its parts are. Models, losses and optimizers reduce
// over the batch by these alone, so that they are right on one device, partitioned automatically,
// in manual regions and across processes.
#pragma once

#include <optional>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// The sum of all elements of x over all devices, a scalar. Outside manual regions a plain sum; in
/// them also over the mesh axes along which x varies.
Value global_sum(Value x, SourceLoc loc = SourceLoc::current());
/// The mean of all elements, weighted if there are weights of the same shape: sum(x * w) / sum(w),
/// and 0 where all weights are 0. Both may have different dtypes: the wider one is computed in.
Value global_mean(Value x,
                  std::optional<Value> weights = std::nullopt,
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
