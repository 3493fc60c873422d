// SPDX-License-Identifier: Apache-2.0
#include "meshwright/graph/tracing/rewrite.h"

#include <unordered_map>
#include <unordered_set>

#include "meshwright/graph/core/effects.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/tracing/tracer.h"

namespace meshwright::graph {

std::vector<Type> types_of(std::span<const Value> values) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const Value& value : values)
    types.push_back(value.type());
  return types;
}

namespace {

std::vector<Node*> needed_nodes(const Region& region,
                                std::span<const Value> values,
                                bool side_effects) {
  ValueTable<char> used(region);
  for (const Value& value : values)
    used[value] = 1;
  std::vector<Node*> needed;
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    Node& node = *region.nodes[i];
    bool is_needed = side_effects && has_side_effect(node);
    for (int r = 0; r < node.num_results() && !is_needed; ++r)
      is_needed = used[node.result(r)] != 0;
    if (!is_needed) continue;
    needed.push_back(&node);
    for (const Value& operand : node.operands)
      used[operand] = 1;
  }
  std::ranges::reverse(needed);
  return needed;
}

std::vector<Value> exact_copy(Node& node, std::vector<Value> operands) {
  Node& copy = Tracer::current().append_copy(node, std::move(operands));
  std::vector<Value> results;
  for (int r = 0; r < copy.num_results(); ++r)
    results.push_back(copy.result(r));
  return results;
}

std::vector<Value> inline_nodes(const Region& body,
                                std::span<const Value> args,
                                std::span<Node* const> nodes,
                                std::span<const Value> values,
                                const auto& copy_node) {
  Tracer& tracer = Tracer::current();
  MW_CHECK(std::ssize(args) == body.num_args(), "inline_region: ", args.size(),
           " values for a body with ", body.num_args(), " arguments");
  ValueTable<Value> copies(body);
  for (int i = 0; i < body.num_args(); ++i) {
    const Value& arg = args[static_cast<std::size_t>(i)];
    if (arg.is_null()) continue;
    MW_CHECK(arg.type() == body.arg(i).type(), "inline_region: argument ", i, " is ", arg,
             " but the body expects ", body.arg(i));
    copies[body.arg(i)] = tracer.import(arg);
  }
  for (Node* node : nodes) {
    std::vector<Value> operands;
    for (const Value& operand : node->operands)
      operands.push_back(copies[operand]);
    std::vector<Value> results = copy_node(*node, std::move(operands));
    for (int r = 0; r < node->num_results(); ++r)
      copies[node->result(r)] = results[static_cast<std::size_t>(r)];
  }
  std::vector<Value> out;
  out.reserve(values.size());
  for (const Value& value : values)
    out.push_back(copies[value]);
  return out;
}

}  // namespace

std::vector<Node*> nodes_for(const Region& region, std::span<const Value> values) {
  return needed_nodes(region, values, false);
}

std::vector<Node*> live_nodes(const Region& region) {
  return needed_nodes(region, region.results, true);
}

std::vector<Value> inline_region(const Region& body, std::span<const Value> args) {
  return inline_nodes(body, args, live_nodes(body), body.results, exact_copy);
}

std::vector<Value> inline_region(const Region& body,
                                 std::span<const Value> args,
                                 const CopyNode& copy) {
  return inline_nodes(body, args, live_nodes(body), body.results, copy);
}

std::vector<Value> inline_values(const Region& body,
                                 std::span<const Value> args,
                                 std::span<const Value> values) {
  return inline_nodes(body, args, nodes_for(body, values), values, exact_copy);
}

std::vector<Value> united_captures(std::span<Region* const> regions) {
  std::vector<Value> out;
  std::unordered_set<Value, ValueHash> known;
  for (const Region* region : regions) {
    for (const Value& capture : region->captures) {
      if (known.insert(capture).second) out.push_back(capture);
    }
  }
  return out;
}

Region& with_captures(Region& region, std::span<const Value> captures) {
  if (std::ranges::equal(region.captures, captures)) return region;
  auto num_own = static_cast<std::size_t>(region.num_own_args());
  std::vector<Type> types;
  for (std::size_t i = 0; i < num_own; ++i)
    types.push_back(region.args[i]->out());
  std::unordered_map<Value, std::size_t, ValueHash> places;
  for (const Value& capture : captures) {
    places.emplace(capture, types.size());
    types.push_back(capture.type());
  }
  return Tracer::current().trace_region(types, [&](std::span<const Value> args) {
    std::vector<Value> inputs(args.begin(), args.begin() + region.num_own_args());
    for (const Value& capture : region.captures)
      inputs.push_back(args[places.at(capture)]);
    return inline_region(region, inputs);
  });
}

}  // namespace meshwright::graph
