// SPDX-License-Identifier: Apache-2.0
// The flow of values from a node's operands into its regions, and from there to its results.
#pragma once

#include <vector>

#include "meshwright/estimate/splits.h"
#include "meshwright/graph/core/node.h"

namespace meshwright::estimate {

/// How an array changes where it enters or leaves a region.
enum class Change { none, loses_first_dim, gains_first_dim };

struct ValueFlow {
  graph::Value from, to;
  Change change = Change::none;
};

struct RegionFlow {
  std::vector<ValueFlow> to_arguments;  // from operands, and from the results of an earlier step
  std::vector<ValueFlow> from_results;  // to results of the node
};

RegionFlow region_flow(const graph::Node& node);

/// Returns the split of `to`, given that of `from`.
Split moved(const Split& split, const ValueFlow& flow);
/// Returns the split of `from`, given that of `to`.
Split moved_back(const Split& split, const ValueFlow& flow);

}  // namespace meshwright::estimate
