// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/region_flow.h"

#include "meshwright/estimate/nodes.h"
#include "meshwright/graph/ops/cond.h"
#include "meshwright/graph/ops/custom_gradient.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/while.h"

namespace meshwright::estimate {
namespace {

using graph::Node;
using graph::Region;

Split without_first(const Split& split) {
  return {split.begin() + 1, split.end()};
}

Split with_first(const Split& split) {
  Split out(1);
  out.insert(out.end(), split.begin(), split.end());
  return out;
}

RegionFlow flow_of_scan(const Node& node) {
  const auto& attrs = node.attr<graph::ScanAttrs>();
  const Region& body = *node.regions[0];
  RegionFlow out;
  for (int i = 0; i < node.num_operands(); ++i) {
    const bool is_sliced = i >= attrs.num_carry && i < attrs.num_carry + attrs.num_xs;
    out.to_arguments.push_back({node.operands[static_cast<std::size_t>(i)], body.arg(i),
                                is_sliced ? Change::loses_first_dim : Change::none});
  }
  for (int i = 0; i < node.num_results(); ++i)
    out.from_results.push_back({body.results[static_cast<std::size_t>(i)], result_of(node, i),
                                i < attrs.num_carry ? Change::none : Change::gains_first_dim});
  return out;
}

}  // namespace

RegionFlow region_flow(const Node& node) {
  if (node.op == &graph::kScan) return flow_of_scan(node);
  RegionFlow out;
  for (const Region* region : node.regions) {
    if (node.op == &graph::kCustomGradient && region != node.regions[0]) continue;  // not run
    const bool has_predicate = node.op == &graph::kCond || node.op == &graph::kSwitchCase;
    const std::size_t first = has_predicate ? 1 : 0;
    for (int i = 0; i < region->num_args(); ++i)
      out.to_arguments.push_back(
          {node.operands[first + static_cast<std::size_t>(i)], region->arg(i), Change::none});
    const bool is_condition = node.op == &graph::kWhile && region == node.regions[0];
    if (is_condition) continue;
    for (int i = 0; i < node.num_results() && i < std::ssize(region->results); ++i)
      out.from_results.push_back(
          {region->results[static_cast<std::size_t>(i)], result_of(node, i), Change::none});
  }
  return out;
}

Split moved(const Split& split, const ValueFlow& flow) {
  if (flow.change == Change::loses_first_dim) return without_first(split);
  if (flow.change == Change::gains_first_dim) return with_first(split);
  return split;
}

Split moved_back(const Split& split, const ValueFlow& flow) {
  if (flow.change == Change::loses_first_dim) return with_first(split);
  if (flow.change == Change::gains_first_dim) return without_first(split);
  return split;
}

}  // namespace meshwright::estimate
