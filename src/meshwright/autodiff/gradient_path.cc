// SPDX-License-Identifier: Apache-2.0
#include "meshwright/autodiff/gradient_path.h"

#include <optional>

#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/ops/basic.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::autodiff {

using graph::Node;
using graph::Region;
using graph::Value;

namespace {

constexpr std::size_t kShownAtEachEnd = 4;

// Returns the nodes from `node`, included, to a result of the region.
std::vector<const Node*> towards_result(const Region& region,
                                        const Activity& activity,
                                        const Node& node) {
  // maps a node to the next one on its path to `node`
  std::unordered_map<const Node*, const Node*> next = {{&node, nullptr}};
  std::vector<const Node*> order(region.nodes.begin(), region.nodes.end());
  const Node* last = &node;
  for (const Node* user : order) {
    if (user->id <= node.id || !activity.is_active(*user)) continue;
    for (const Value& operand : user->operands) {
      if (next.contains(operand.node()) && activity.is_active(operand)) {
        next.try_emplace(user, operand.node());
      }
    }
  }
  for (const Value& result : region.results) {
    if (next.contains(result.node()) && activity.is_active(result)) last = result.node();
  }
  std::vector<const Node*> path;
  for (const Node* at = last; at != nullptr; at = next.at(at))
    path.push_back(at);
  std::ranges::reverse(path);
  return path;
}

// Returns the nodes from `node`, excluded, to a differentiated argument of the region.
std::vector<const Node*> towards_argument(const Activity& activity, const Node& node) {
  std::vector<const Node*> path;
  const Node* at = &node;
  while (at != nullptr) {
    const Node* next = nullptr;
    for (const Value& operand : at->operands) {
      if (activity.depends(operand)) next = operand.node();
    }
    at = next;
    if (at != nullptr) path.push_back(at);
  }
  return path;
}

std::string label(const graph::Graph& graph, const Node& node) {
  if (node.op == &graph::kArgument) return str("argument ", node.attr<int>());
  const std::string& module = graph.module_path(node.module_path);
  return module.empty() ? std::string(node.op->name) : str(module, "/", node.op->name);
}

}  // namespace

std::string gradient_path(const Region& region, const Activity& activity, const Node& node) {
  const graph::Graph& graph = graph::Tracer::current().graph();
  std::vector<const Node*> path = towards_result(region, activity, node);
  std::ranges::reverse(path);
  for (const Node* further : towards_argument(activity, node))
    path.push_back(further);
  std::string chain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 2 * kShownAtEachEnd + 1 && i == kShownAtEachEnd) {
      i = path.size() - kShownAtEachEnd;
      chain += " <- ...";
    }
    chain += str(i > 0 ? " <- " : "", label(graph, *path[i]));
  }
  return str("\n  while differentiating ", node.op->name, origin(graph, node), " on the path ",
             chain);
}

}  // namespace meshwright::autodiff
