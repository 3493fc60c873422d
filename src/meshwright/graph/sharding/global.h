// SPDX-License-Identifier: Apache-2.0
// Reductions over the global batch, however it is sharded. Models, losses and optimizers must use
// these functions for every reduction over the batch, so that they work on one device, under
// automatic partitioning, in manual regions and across processes.
#pragma once

#include <optional>

#include "meshwright/graph/core/value.h"

namespace meshwright::graph {

/// Returns the sum of all elements of x over all devices, a scalar. Outside manual regions this is
/// a plain sum; inside, it also sums over the mesh axes over which x varies.
Value global_sum(Value x, SourceLoc loc = SourceLoc::current());
/// Returns the mean of all elements or, with weights of the same shape, sum(x * w) / sum(w); 0 if
/// the weights sum to 0. x and weights may have different dtypes; the computation uses the wider
/// one.
Value global_mean(Value x,
                  std::optional<Value> weights = std::nullopt,
                  SourceLoc loc = SourceLoc::current());

}  // namespace meshwright::graph
