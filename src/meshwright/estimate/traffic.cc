// SPDX-License-Identifier: Apache-2.0
#include "meshwright/estimate/traffic.h"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "meshwright/estimate/node_parts.h"
#include "meshwright/estimate/nodes.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/ops/collectives.h"
#include "meshwright/graph/ops/constrain.h"
#include "meshwright/graph/ops/elementwise.h"
#include "meshwright/graph/ops/shape.h"
#include "meshwright/graph/tracing/rewrite.h"
#include "meshwright/mesh/device_groups.h"

namespace meshwright::estimate {
namespace {

using graph::Node;
using graph::Region;
using graph::Value;
using mesh::AxisSet;

class Counter {
 public:
  explicit Counter(const Splits& splits) : splits_(splits) {}

  void count(const Region& region, double times) {
    const std::vector<Node*> nodes = graph::live_nodes(region);
    Done done{.users = single_users(nodes, region)};
    for (const Node* node : nodes) {
      if (node->regions.empty()) {
        count_node(*node, times, done);
        continue;
      }
      for (const Region* inner : node->regions)
        count(*inner, times * num_runs(*node));
    }
  }

  std::vector<Traffic> take() { return std::move(all_); }

 private:
  using Users = std::unordered_map<Value, const Node*, graph::ValueHash>;  // null: several

  // Collectives of a region that are counted already.
  struct Done {
    Users users;
    std::set<std::tuple<const Node*, int, double>> gathered;  // values and along how many devices
    std::set<const Node*> added;  // last sums of products whose parts are added before reducing
  };

  static Users single_users(const std::vector<Node*>& nodes, const Region& region) {
    Users out;
    for (const Node* node : nodes)
      for (const Value& operand : node->operands)
        if (!out.emplace(operand, node).second) out[operand] = nullptr;
    for (const Value& result : region.results)
      out[result] = nullptr;
    return out;
  }

  // Returns the last of the sums in which a product is a term; null if it is in none.
  static const Node* last_sum(const Node& product, const Users& users) {
    const Node* out = nullptr;
    for (const Node* node = &product;;) {
      const auto user = users.find(result_of(*node));
      if (user == users.end() || user->second == nullptr) return out;
      node = user->second;
      if (node->op == &graph::kAdd) {
        out = node;
      } else if (node->op != &graph::kConvert && node->op != &graph::kConstrain &&
                 node->op != &graph::kReshape && node->op != &graph::kTranspose) {
        return out;
      }
    }
  }

  void count_node(const Node& node, double times, Done& done) {
    if (count_manual(node, times)) return;
    const NodeParts parts = node_parts(node, splits_);
    for (int i = 0; i < node.num_operands(); ++i) {
      const Value& operand = node.operands[static_cast<std::size_t>(i)];
      const Split& needed = parts.operands[static_cast<std::size_t>(i)];
      const AxisSet axes = axes_of(splits_.of(operand)) - axes_of(needed);
      const Value array = original(operand);
      if (axes.empty() || !done.gathered.insert({array.node(), array.index(), size(axes)}).second)
        continue;
      add(Collective::all_gather, axes, times,
          std::min(bytes_of(operand.type(), needed), bytes_of(array.type(), without(axes, array))));
    }
    if (parts.summed_by.empty()) return;
    const Node* sum_of_products = last_sum(node, done.users);
    if (sum_of_products != nullptr && !done.added.insert(sum_of_products).second) return;
    const Split& kept = splits_.of(result_of(node));
    const AxisSet scattered = parts.summed_by & axes_of(kept);
    const AxisSet reduced = parts.summed_by - scattered;
    // Axes that only the result has select a part of it before the sum.
    const AxisSet selected = axes_of(kept) - axes_of(parts.result) - parts.summed_by;
    const double sum = bytes_of(node.out(), parts.result) / size(selected);
    if (!scattered.empty()) add(Collective::reduce_scatter, scattered, times, sum);
    if (!reduced.empty()) add(Collective::all_reduce, reduced, times, sum / size(scattered));
  }

  // Collectives that are written in the program.
  bool count_manual(const Node& node, double times) {
    if (node.op == &graph::kAllReduceSum || node.op == &graph::kAllReduceMax ||
        node.op == &graph::kAllReduceMin)
      return add(Collective::all_reduce, node, times), true;
    if (node.op == &graph::kAllGather || node.op == &graph::kAllGatherReplicated)
      return add(Collective::all_gather, node, times), true;
    if (node.op == &graph::kReduceScatter)
      return add(Collective::reduce_scatter, node, times), true;
    return false;
  }

  void add(Collective kind, const Node& node, double times) {
    const AxisSet axes = mesh::axis_set(node.attr<graph::CollectiveAttrs>().axes);
    const ArrayType& whole = kind == Collective::all_gather ? node.out() : node.in(0);
    add(kind, axes, times, static_cast<double>(whole.num_bytes()));
  }

  // `bytes` are those of the array that is gathered, or of the sum.
  void add(Collective kind, AxisSet axes, double times, double bytes) {
    if (size(axes) <= 1) return;
    auto found = std::ranges::find_if(
        all_, [&](const Traffic& each) { return each.kind == kind && each.axes == axes; });
    if (found == all_.end()) found = all_.insert(all_.end(), {kind, axes});
    const double ways = kind == Collective::all_reduce ? 2 : 1;
    found->num_calls += times;
    found->received_bytes += times * ways * bytes * (1 - 1 / size(axes));
  }

  Split without(AxisSet axes, const Value& array) const {
    Split out = splits_.of(array);
    for (AxisSet& own : out)
      own = own - axes;
    return out;
  }

  // Arrays are gathered before they are broadcast, and narrowed before they are gathered.
  static Value original(Value value) {
    while (value.node()->op == &graph::kConvert || value.node()->op == &graph::kConstrain ||
           value.node()->op == &graph::kBroadcastInDim)
      value = value.node()->operands[0];
    return value;
  }

  double size(AxisSet axes) const { return static_cast<double>(num_devices(splits_.mesh(), axes)); }
  double bytes_of(const ArrayType& type, const Split& split) const {
    return static_cast<double>(part_bytes(splits_.mesh(), type, split));
  }

  const Splits& splits_;
  std::vector<Traffic> all_;
};

}  // namespace

std::string_view name(Collective kind) {
  constexpr std::string_view kNames[] = {"all-gather", "reduce-scatter", "all-reduce"};
  return kNames[static_cast<int>(kind)];
}

std::vector<Traffic> traffic_of(const graph::Program& program, const Splits& splits) {
  Counter counter(splits);
  counter.count(*program.main, 1);
  std::vector<Traffic> out = counter.take();
  std::ranges::stable_sort(out, std::greater(), &Traffic::received_bytes);
  return out;
}

}  // namespace meshwright::estimate
