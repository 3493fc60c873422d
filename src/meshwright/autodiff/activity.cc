// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/activity.h"

#include "meshwright/graph/core/op_def.h"

namespace meshwright::autodiff {

using graph::kZeroGradient;
using graph::Node;
using graph::Region;
using graph::Value;

Activity::Activity(const Region& region,
                   const std::vector<bool>& wrt,
                   const std::vector<bool>& with_cotangent)
    : depends_(region), active_(region) {
  for (int i = 0; i < region.num_args(); ++i) {
    Value arg = region.arg(i);
    bool is_wanted = wrt[static_cast<std::size_t>(i)];
    depends_[arg] = is_wanted && is_float(arg.dtype()) ? 1 : 0;
  }
  for (Node* node : region.nodes) {
    if (node->op->vjp == kZeroGradient) continue;
    bool any = std::ranges::any_of(node->operands, [&](const Value& v) { return depends(v); });
    if (!any) continue;
    for (int r = 0; r < node->num_results(); ++r)
      depends_[node->result(r)] = is_float(node->out(r).dtype) ? 1 : 0;
  }

  for (std::size_t i = 0; i < region.results.size(); ++i) {
    const Value& result = region.results[i];
    if (with_cotangent[i] && depends(result)) active_[result] = 1;
  }
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    const Node& node = *region.nodes[i];
    if (!is_active(node)) continue;
    for (const Value& operand : node.operands)
      active_[operand] = depends_[operand];
  }
}

bool Activity::is_active(const Node& node) const {
  for (int r = 0; r < node.num_results(); ++r) {
    if (is_active(Value(const_cast<Node*>(&node), r))) return true;
  }
  return false;
}

}  // namespace meshwright::autodiff
