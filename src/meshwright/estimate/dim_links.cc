// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/dim_links.h"

#include <algorithm>

#include "meshwright/estimate/nodes.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/convolution.h"
#include "meshwright/graph/ops/dot.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scatter.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::estimate {
namespace {

using graph::Node;

bool contains(const Dims& list, int number) {
  return std::ranges::find(list, number) != list.end();
}

void link_broadcast(const Node& node, DimLinks& out) {
  const auto& attrs = node.attr<graph::BroadcastAttrs>();
  for (int d = 0; d < node.in(0).rank(); ++d) {
    const int to = static_cast<int>(attrs.where[static_cast<std::size_t>(d)]);
    const auto at = static_cast<std::size_t>(to);
    if (node.in(0).dims[static_cast<std::size_t>(d)] == attrs.dims[at])
      out.links.push_back({0, d, 0, to});
  }
}

void link_transpose(const Node& node, DimLinks& out) {
  const Dims& permutation = node.attr<Dims>();
  for (int d = 0; d < node.out().rank(); ++d)
    out.links.push_back({0, static_cast<int>(permutation[static_cast<std::size_t>(d)]), 0, d});
}

// Links the first dimensions of the smallest groups of equal size.
void link_reshape(const Node& node, DimLinks& out) {
  const Dims &from = node.in(0).dims, &to = node.out().dims;
  if (std::ranges::count(from, 0) > 0) return;
  std::size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    if (from[i] == 1 || to[j] == 1) {
      ++(from[i] == 1 ? i : j);
      continue;
    }
    out.links.push_back({0, static_cast<int>(i), 0, static_cast<int>(j)});
    std::int64_t left = from[i++], right = to[j++];
    while (left != right)
      left < right ? left *= from[i++] : right *= to[j++];
  }
}

void link_dot(const Node& node, DimLinks& out) {
  const graph::DotDims& dims = node.attr<graph::DotAttrs>().dims;
  int to = 0;
  for (std::size_t i = 0; i < dims.lhs_batch.size(); ++i, ++to) {
    out.links.push_back({0, static_cast<int>(dims.lhs_batch[i]), 0, to});
    out.links.push_back({1, static_cast<int>(dims.rhs_batch[i]), 0, to});
  }
  for (int d = 0; d < node.in(0).rank(); ++d)
    if (!contains(dims.lhs_batch, d) && !contains(dims.lhs_contract, d))
      out.links.push_back({0, d, 0, to++});
  for (int d = 0; d < node.in(1).rank(); ++d)
    if (!contains(dims.rhs_batch, d) && !contains(dims.rhs_contract, d))
      out.links.push_back({1, d, 0, to++});
  for (std::size_t i = 0; i < dims.lhs_contract.size(); ++i) {
    out.summed.push_back({0, static_cast<int>(dims.lhs_contract[i])});
    out.summed.push_back({1, static_cast<int>(dims.rhs_contract[i])});
  }
}

void link_convolution(const Node& node, DimLinks& out) {
  const graph::ConvLayout& layout = node.attr<graph::ConvAttrs>().layout;
  out.links.push_back(
      {0, static_cast<int>(layout.lhs.outer), 0, static_cast<int>(layout.out.outer)});
  out.links.push_back(
      {1, static_cast<int>(layout.rhs.outer), 0, static_cast<int>(layout.out.inner)});
  out.summed.push_back({0, static_cast<int>(layout.lhs.inner)});
  out.summed.push_back({1, static_cast<int>(layout.rhs.inner)});
}

void link_reduction(const Node& node, DimLinks& out) {
  const Dims& over = node.attr<Dims>();
  int to = 0;
  for (int d = 0; d < node.in(0).rank(); ++d) {
    if (contains(over, d)) {
      out.summed.push_back({0, d});
    } else {
      out.links.push_back({0, d, 0, to++});
    }
  }
}

// The dimensions of the window are those of the array; the others are those of the indices.
void link_gather(const Node& node, DimLinks& out) {
  const graph::IndexDims& dims = node.attr<graph::GatherAttrs>().dims;
  int of_array = 0, of_indices = 0;
  for (int d = 0; d < node.out().rank(); ++d) {
    if (contains(dims.offset_dims, d)) {
      while (contains(dims.collapsed_slice_dims, of_array) ||
             contains(dims.operand_batching_dims, of_array))
        ++of_array;
      const auto array_dim = static_cast<std::size_t>(of_array);
      if (node.in(0).dims[array_dim] == node.out().dims[static_cast<std::size_t>(d)])
        out.links.push_back({0, of_array, 0, d});
      ++of_array;
    } else {
      if (of_indices == dims.index_vector_dim) ++of_indices;
      out.links.push_back({1, of_indices++, 0, d});
    }
  }
  for (const std::int64_t d : dims.start_index_map)
    out.summed.push_back({0, static_cast<int>(d)});
}

// The result has the dimensions of the array. Each device adds its own updates.
void link_scatter(const Node& node, DimLinks& out) {
  const graph::IndexDims& dims = node.attr<graph::ScatterAttrs>().dims;
  for (int d = 0; d < node.out().rank(); ++d)
    out.links.push_back({0, d, 0, d});
  int of_array = 0;
  for (int d = 0; d < node.in(2).rank(); ++d) {
    if (!contains(dims.offset_dims, d)) {
      out.summed.push_back({2, d});
      continue;
    }
    while (contains(dims.collapsed_slice_dims, of_array) ||
           contains(dims.operand_batching_dims, of_array))
      ++of_array;
    out.links.push_back({2, d, 0, of_array++});
  }
}

// Dimensions that stay whole in a slice, a padded array and the like.
void link_unchanged(const Node& node, int num_operands, DimLinks& out) {
  for (int i = 0; i < num_operands; ++i) {
    if (node.in(i).rank() != node.out().rank()) continue;
    for (int d = 0; d < node.out().rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (node.in(i).dims[at] == node.out().dims[at]) out.links.push_back({i, d, 0, d});
    }
  }
}

// Element-wise ops, ops that pass values on, and all others: a result of the same shape as an
// operand is split like it.
void link_same_shapes(const Node& node, DimLinks& out) {
  for (int result = 0; result < node.num_results(); ++result) {
    for (int operand = 0; operand < node.num_operands(); ++operand) {
      if (node.in(operand).dims != node.out(result).dims) continue;
      if (node.num_results() > 1 && node.num_results() == node.num_operands() && operand != result)
        continue;
      for (int d = 0; d < node.out(result).rank(); ++d)
        out.links.push_back({operand, d, result, d});
    }
  }
}

}  // namespace

DimLinks dim_links(const Node& node) {
  DimLinks out;
  if (node.op == &graph::kBroadcastInDim) {
    link_broadcast(node, out);
  } else if (node.op == &graph::kTranspose) {
    link_transpose(node, out);
  } else if (node.op == &graph::kReshape) {
    link_reshape(node, out);
  } else if (node.op == &graph::kDotGeneral) {
    link_dot(node, out);
  } else if (node.op == &graph::kConvolution) {
    link_convolution(node, out);
  } else if (is_any_of(node, graph::kReduceOps)) {
    link_reduction(node, out);
  } else if (node.op == &graph::kGather) {
    link_gather(node, out);
  } else if (is_any_of(node, graph::kScatterOps)) {
    link_scatter(node, out);
  } else if (node.op == &graph::kSlice || node.op == &graph::kDynamicSlice ||
             node.op == &graph::kPad) {
    link_unchanged(node, 1, out);
  } else if (node.op == &graph::kDynamicUpdateSlice) {
    link_unchanged(node, 2, out);
  } else if (node.op == &graph::kConcatenate) {
    link_unchanged(node, node.num_operands(), out);
  } else {
    link_same_shapes(node, out);
  }
  return out;
}

}  // namespace meshwright::estimate
