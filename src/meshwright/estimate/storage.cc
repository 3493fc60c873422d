// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/storage.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "meshwright/estimate/nodes.h"
#include "meshwright/graph/ops/barrier.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/gather.h"
#include "meshwright/graph/ops/gradient.h"
#include "meshwright/graph/ops/memory_move.h"
#include "meshwright/graph/ops/reduce.h"
#include "meshwright/graph/ops/scan.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/ops/slice.h"

namespace meshwright::estimate {
namespace {

using graph::Node;
using graph::Region;
using graph::Value;

// Another name for an operand, perhaps read in another order.
bool is_alias(const Node& node) {
  return node.op == &graph::kConstrain || node.op == &graph::kSave || node.op == &graph::kVary ||
         node.op == &graph::kStopGradient || node.op == &graph::kReshape ||
         node.op == &graph::kTranspose || node.op == &graph::kOptimizationBarrier;
}

// Computed as part of the op that uses it.
bool is_fused(const Node& node) {
  return is_any_of(node, graph::kElementwiseOps) || node.op == &graph::kBroadcastInDim ||
         node.op == &graph::kIota || node.op == &graph::kConstant || node.op == &graph::kSlice ||
         node.op == &graph::kDynamicSlice || node.op == &graph::kPad ||
         node.op == &graph::kConcatenate || node.op == &graph::kReverse;
}

// Computes its operands itself, and reads each of their elements at most once.
bool fuses_operands(const Node& node) {
  return is_any_of(node, graph::kReduceOps) || node.op == &graph::kDynamicUpdateSlice ||
         node.op == &graph::kGather;
}

bool updates_in_place(const Node& node) {
  return node.op == &graph::kDynamicUpdateSlice || is_any_of(node, graph::kElementwiseOps) ||
         node.op == &graph::kScan;
}

}  // namespace

Storage::Storage(const Region& region) : demanded_(region), arrays_(region), stored_(region) {
  for (Node* argument : region.args)
    add_array({argument, 0});
  std::vector<Node*> nodes = graph::live_nodes(region);
  demand_operands(nodes);
  for (const Value& result : region.results)
    demand(result);
  sort(std::move(nodes));
  for (std::size_t time = 0; time < order_.size(); ++time) {
    for (const Value& operand : order_[time]->operands)
      use(operand, static_cast<int>(time));
    compute(*order_[time]);
  }
  for (const Value& result : region.results)
    use(result, static_cast<int>(order_.size()));
}

void Storage::sort(std::vector<Node*> nodes) {
  std::map<const Node*, int> times;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = *nodes[i];
    int time = static_cast<int>(i);
    if (is_alias(node) || is_any_of(node, graph::kReduceOps) || node.op == &graph::kToHost ||
        (is_fused(node) && demanded_[result_of(node)] == 0)) {
      time = -1;
      for (const Value& operand : node.operands)
        if (const auto found = times.find(operand.node()); found != times.end())
          time = std::max(time, found->second);
    }
    times[&node] = time;
  }
  std::ranges::stable_sort(nodes, {}, [&](const Node* node) { return times.at(node); });
  order_ = std::move(nodes);
}

void Storage::compute(Node& node) {
  for (int i = 0; i < node.num_results(); ++i) {
    const Value value = node.result(i);
    if (is_alias(node)) {
      const int operand = std::min(i, node.num_operands() - 1);
      arrays_[value] = arrays_[node.operands[static_cast<std::size_t>(operand)]];
    } else if (is_fused(node) && demanded_[value] == 0) {
      for (const Value& operand : node.operands) {
        Arrays all;
        std::ranges::set_union(arrays_[value], arrays_[operand], std::back_inserter(all));
        arrays_[value] = std::move(all);
      }
    } else {
      add_array(value);
    }
  }
}

void Storage::add_array(const Value& value) {
  const int number = static_cast<int>(values_.size());
  values_.push_back(value);
  last_uses_.push_back(-1);
  stored_[value] = number;
  arrays_[value] = {number};
}

void Storage::demand_operands(const std::vector<Node*>& nodes) {
  for (const Node* node : nodes) {
    if (is_fused(*node) || is_alias(*node) || fuses_operands(*node)) continue;
    for (const Value& operand : node->operands)
      demand(operand);
  }
  // Through other names.
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    if (!is_alias(**node)) continue;
    for (int i = 0; i < (*node)->num_results(); ++i)
      if (demanded_[(*node)->result(i)] != 0)
        demand(
            (*node)->operands[static_cast<std::size_t>(std::min(i, (*node)->num_operands() - 1))]);
  }
}

void Storage::demand(const Value& value) {
  demanded_[value] = 1;
}

void Storage::use(const Value& value, int time) {
  for (const int array : arrays_[value])
    last_uses_[static_cast<std::size_t>(array)] =
        std::max(last_uses_[static_cast<std::size_t>(array)], time);
}

std::optional<int> Storage::stored(const Value& value) const {
  return stored_[value];
}

std::vector<int> Storage::overwritable(const Node& node, int result) const {
  if (!updates_in_place(node)) return {};
  std::vector<int> out;
  if (node.op == &graph::kScan) {
    if (result < node.attr<graph::ScanAttrs>().num_carry)
      out = arrays_[node.operands[static_cast<std::size_t>(result)]];
    return out;
  }
  const int num_read = node.op == &graph::kDynamicUpdateSlice ? 1 : node.num_operands();
  for (int i = 0; i < num_read; ++i) {
    const Arrays& more = arrays_[node.operands[static_cast<std::size_t>(i)]];
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace meshwright::estimate
