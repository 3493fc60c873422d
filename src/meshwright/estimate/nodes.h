// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/ops/scan.h"

namespace meshwright::estimate {

/// Returns whether the node is of one of these ops, such as graph::kReduceOps.
template <typename Ops>
bool is_any_of(const graph::Node& node, const Ops& ops) {
  return std::ranges::find(ops, node.op) != ops.end();
}

/// Returns how often a node runs its regions: the length of a loop, or 1 if it is unknown.
inline double num_runs(const graph::Node& node) {
  return node.op == &graph::kScan ? static_cast<double>(node.attr<graph::ScanAttrs>().length) : 1;
}

/// Returns a result of a node.
inline graph::Value result_of(const graph::Node& node, int result = 0) {
  return {const_cast<graph::Node*>(&node), result};  // values are handles of nodes
}

}  // namespace meshwright::estimate
