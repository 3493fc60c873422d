// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/node_parts.h"

#include <cstddef>
#include <utility>

#include "meshwright/estimate/dim_links.h"
#include "meshwright/estimate/nodes.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/dot.h"

namespace meshwright::estimate {
namespace {

using graph::Node;

// A summed dimension of a product stays split if both operands are split along it.
void sum_products(const Node& node, const Splits& splits, const DimLinks& links, NodeParts& out) {
  const mesh::AxisSet used = axes_of(out.result);
  for (std::size_t pair = 0; pair + 1 < links.summed.size(); pair += 2) {
    const auto of_lhs = static_cast<std::size_t>(links.summed[pair].dim);
    const auto of_rhs = static_cast<std::size_t>(links.summed[pair + 1].dim);
    const mesh::AxisSet both =
        (splits.of(node.operands[0])[of_lhs] & splits.of(node.operands[1])[of_rhs]) - used;
    out.operands[0][of_lhs] = out.operands[1][of_rhs] = both;
    out.summed_by = out.summed_by | both;
  }
}

void sum_operands(const Node& node, const Splits& splits, const DimLinks& links, NodeParts& out) {
  for (const SummedDim& summed : links.summed) {
    const auto dim = static_cast<std::size_t>(summed.dim);
    const auto operand = static_cast<std::size_t>(summed.operand);
    const mesh::AxisSet axes = splits.of(node.operands[operand])[dim] - axes_of(out.result);
    out.operands[operand][dim] = axes;
    out.summed_by = out.summed_by | axes;
  }
}

}  // namespace

NodeParts node_parts(const Node& node, const Splits& splits) {
  const bool is_product = node.op == &graph::kDotGeneral || node.op == &graph::kConvolution;
  const DimLinks links = dim_links(node);
  const auto split_of = [&](int result) {
    return links.summed.empty() ? splits.of(result_of(node, result)) : splits.natural(node, result);
  };
  NodeParts out;
  out.result = split_of(0);
  for (const graph::Value& operand : node.operands)
    out.operands.emplace_back(operand.type().dims.size());
  for (const DimLink& link : links.links) {
    const auto operand = static_cast<std::size_t>(link.operand);
    const auto dim = static_cast<std::size_t>(link.operand_dim);
    const Split result = link.result == 0 ? out.result : split_of(link.result);
    out.operands[operand][dim] =
        splits.of(node.operands[operand])[dim] & result[static_cast<std::size_t>(link.result_dim)];
  }
  is_product ? sum_products(node, splits, links, out) : sum_operands(node, splits, links, out);
  return out;
}

}  // namespace meshwright::estimate
