// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/splits.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "meshwright/estimate/dim_links.h"
#include "meshwright/estimate/nodes.h"
#include "meshwright/estimate/region_flow.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/manual.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::estimate {

using graph::Node;
using graph::Region;
using graph::Value;
using mesh::AxisSet;

namespace {

bool divides(const mesh::Mesh& mesh, AxisSet axes, std::int64_t size) {
  return size % num_devices(mesh, axes) == 0;
}

// Adds axes to one dimension unless another has them or its size forbids it.
void add_axes(const mesh::Mesh& mesh, AxisSet axes, std::int64_t size, Split& split, int dim) {
  AxisSet& own = split[static_cast<std::size_t>(dim)];
  const AxisSet free = axes - axes_of(split);
  if (!free.empty() && divides(mesh, own | free, size)) own = own | free;
}

// The split of the heaviest operand wins: activations over the weights that they meet, and the
// positions of tokens over the table in which they are looked up.
std::int64_t weight_of(const Node& node, int operand) {
  if (node.op == &graph::kGather) return operand;
  return num_elements(node.in(operand).dims);
}

}  // namespace

AxisSet axes_of(const Split& split) {
  AxisSet out;
  for (const AxisSet axes : split)
    out = out | axes;
  return out;
}

std::int64_t num_devices(const mesh::Mesh& mesh, AxisSet axes) {
  return mesh::group_size(mesh, mesh::positions(axes));
}

std::int64_t part_bytes(const mesh::Mesh& mesh, const ArrayType& type, const Split& split) {
  return type.num_bytes() / num_devices(mesh, axes_of(split));
}

Splits::Splits(const graph::Program& program) : mesh_(program.mesh) {
  const Region& main = *program.main;
  for (std::size_t i = 0; i < main.args.size(); ++i) {
    const Value argument = main.arg(static_cast<int>(i));
    assign(argument,
           declared(program.arguments[i].sharding.value_or(mesh::Sharding()), argument.type()));
  }
  forward(main);
  for (std::size_t i = 0; i < main.results.size(); ++i) {
    const Value& result = main.results[i];
    if (program.results[i].sharding && !is_pinned(result))
      spread(declared(*program.results[i].sharding, result.type()), result);
  }
  backward(main);
  forward(main);
}

Split Splits::declared(const mesh::Sharding& sharding, const ArrayType& type) const {
  Split out(type.dims.size());
  for (std::size_t d = 0; d < std::min(out.size(), sharding.dims.size()); ++d)
    for (const std::string& axis : sharding.dims[d])
      out[d] = out[d] | AxisSet::of(mesh_.axis_index(axis));
  return out;
}

bool Splits::is_pinned(const Value& value) const {
  const Node& node = *value.node();
  return node.op == &graph::kConstrain || node.op == &graph::kManual ||
         (node.op == &graph::kArgument && node.region->parent == nullptr);
}

void Splits::assign(const Value& value, Split split) {
  splits_[value] = std::move(split);
}

void Splits::spread(const Split& from, const Value& to) {
  Split& own = splits_.try_emplace(to, to.type().dims.size()).first->second;
  for (std::size_t d = 0; d < own.size(); ++d)
    if (own[d].empty()) add_axes(mesh_, from[d], to.type().dims[d], own, static_cast<int>(d));
}

Split Splits::natural(const Node& node, int result) const {
  if (node.op == &graph::kConstrain) return declared(node.attr<mesh::Sharding>(), node.out());
  const ArrayType& type = node.out(result);
  Split out(type.dims.size());
  const DimLinks links = dim_links(node);
  std::vector<int> order;
  for (int i = 0; i < node.num_operands(); ++i)
    order.push_back(i);
  std::ranges::stable_sort(order, std::greater(), [&](int i) { return weight_of(node, i); });
  for (const int operand : order) {
    const Split& from = of(node.operands[static_cast<std::size_t>(operand)]);
    for (const DimLink& link : links.links) {
      if (link.operand != operand || link.result != result) continue;
      if (!out[static_cast<std::size_t>(link.result_dim)].empty()) continue;
      add_axes(mesh_, from[static_cast<std::size_t>(link.operand_dim)],
               type.dims[static_cast<std::size_t>(link.result_dim)], out, link.result_dim);
    }
  }
  return out;
}

void Splits::forward(const Region& region) {
  for (const Node* node : graph::live_nodes(region)) {
    if (!node->regions.empty()) {
      forward_into_regions(*node);
      continue;
    }
    for (int i = 0; i < node->num_results(); ++i)
      spread(natural(*node, i), result_of(*node, i));
  }
}

void Splits::forward_into_regions(const Node& node) {
  const RegionFlow flow = region_flow(node);
  for (const ValueFlow& each : flow.to_arguments)
    spread(
        node.op == &graph::kManual ? Split(each.to.type().dims.size()) : moved(of(each.from), each),
        each.to);
  for (const Region* region : node.regions)
    forward(*region);
  if (node.op == &graph::kManual) {
    const auto& attrs = node.attr<graph::ManualAttrs>();
    for (int i = 0; i < node.num_results(); ++i)
      assign(result_of(node, i), declared(attrs.out[static_cast<std::size_t>(i)], node.out(i)));
    return;
  }
  for (const ValueFlow& each : flow.from_results)
    spread(moved(of(each.from), each), each.to);
}

void Splits::backward(const Region& region) {
  const std::vector<Node*> nodes = graph::live_nodes(region);
  for (auto at = nodes.rbegin(); at != nodes.rend(); ++at)
    (*at)->regions.empty() ? backward_to_operands(**at) : backward_into_regions(**at);
}

void Splits::backward_to_operands(const Node& node) {
  const DimLinks links = dim_links(node);
  if (!links.summed.empty()) return;
  for (const DimLink& link : links.links) {
    const Value& operand = node.operands[static_cast<std::size_t>(link.operand)];
    if (is_pinned(operand)) continue;
    const auto from = static_cast<std::size_t>(link.result_dim);
    const auto to = static_cast<std::size_t>(link.operand_dim);
    const Split& result = of(result_of(node, link.result));
    Split& own = splits_.at(operand);
    if (own[to].empty())
      add_axes(mesh_, result[from], operand.type().dims[to], own, link.operand_dim);
  }
}

void Splits::backward_into_regions(const Node& node) {
  const RegionFlow flow = region_flow(node);
  const bool is_manual = node.op == &graph::kManual;
  if (!is_manual) {
    for (const ValueFlow& each : flow.from_results)
      if (!is_pinned(each.from)) spread(moved_back(of(each.to), each), each.from);
  }
  for (const Region* region : node.regions)
    backward(*region);
  for (const ValueFlow& each : flow.to_arguments) {
    if (is_pinned(each.from)) continue;
    if (is_manual) {
      const auto& in = node.attr<graph::ManualAttrs>().in;
      const auto number = static_cast<std::size_t>(each.to.node()->attr<int>());
      if (number < in.size()) spread(declared(in[number], each.from.type()), each.from);
    } else {
      spread(moved_back(of(each.to), each), each.from);
    }
  }
}

}  // namespace meshwright::estimate
