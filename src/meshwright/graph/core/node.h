// SPDX-License-Identifier: Apache-2.0
// What a traced program consists of: nodes in regions in a graph.
#pragma once

#include <any>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/graph/core/value.h"
#include "meshwright/mesh/sharding.h"

namespace meshwright::graph {

struct OpDef;
struct Region;

/// One operation with its operands and the types of its results.
struct Node {
  const OpDef* op = nullptr;
  std::vector<Value> operands;
  std::any attrs;                // the op's own struct; empty if it has none
  std::vector<Region*> regions;  // bodies of control flow, owned by the graph
  std::vector<Type> types;       // one per result
  Region* region = nullptr;      // where the node stands
  int id = 0;                    // unique in the graph, increasing
  int module_path = 0;           // index for Graph::module_path
  SourceLoc loc;

  const Type& in(int i) const { return operands[static_cast<std::size_t>(i)].type(); }
  const Type& out(int i = 0) const { return types[static_cast<std::size_t>(i)]; }
  int num_operands() const { return static_cast<int>(operands.size()); }
  int num_results() const { return static_cast<int>(types.size()); }
  Value result(int i = 0) { return {this, i}; }
  template <typename Attrs>
  const Attrs& attr() const {
    return std::any_cast<const Attrs&>(attrs);
  }
};

/// A list of nodes with arguments and results. Nodes refer only to nodes of their own region: what
/// a body uses from outside becomes a trailing argument while it is traced (see
/// Tracer::trace_region).
struct Region {
  Region* parent = nullptr;  // the region being traced when this one was opened
  std::vector<Node*> args;   // nodes of kArgument
  std::vector<Node*> nodes;  // in order of execution, without the arguments
  std::vector<Value> results;
  std::vector<Value> captures;  // of the parent; the last captures.size() arguments stand for them
  std::unordered_map<Value, Value, ValueHash> imported;  // outer values as seen from here
  bool has_side_effect = false;                          // some node in it has one (effects.h)
  mesh::AxisSet communicates;           // mesh axes along which there are collectives in it
  mesh::AxisSet manual_axes;            // in it, with those of the regions around
  std::vector<mesh::Sharding> entries;  // of a manual region: how each capture is cut
  std::vector<Value> sources;           // what own arguments will be; empty if that is not known
  /// How values of this region lie on the mesh, as far as it was declared and asked for.
  std::unordered_map<Value, std::optional<mesh::Sharding>, ValueHash> declared;
  std::unordered_map<Value, std::vector<Value>, ValueHash> varied;  // what vary() gave

  int num_args() const { return static_cast<int>(args.size()); }
  Value arg(int i) const { return {args[static_cast<std::size_t>(i)], 0}; }
  /// The number of arguments the body was declared with, captures not counted.
  int num_own_args() const { return num_args() - static_cast<int>(captures.size()); }
  /// Whether mesh axes become manual in it.
  bool is_manual() const { return parent != nullptr && parent->manual_axes != manual_axes; }
};

/// Owns nodes and regions; they never move and are never freed before the graph.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node& new_node();
  Region& new_region(Region* parent);
  int num_nodes() const { return static_cast<int>(nodes_.size()); }

  /// A number for a module path such as "decoder/layers"; the same text gets the same number.
  int intern_module_path(const std::string& path);
  const std::string& module_path(int number) const;

 private:
  std::deque<Node> nodes_;
  std::deque<Region> regions_;
  std::deque<std::string> paths_ = {""};
  std::unordered_map<std::string, int> path_numbers_ = {{"", 0}};
};

/// The value outside that an argument of a body stands for; none if it is one of the body's own.
std::optional<Value> find_capture(const Value& argument);

/// " (decoder/layers, block.cc:41)": where a node comes from, for messages.
std::string origin(const Graph& graph, const Node& node);

}  // namespace meshwright::graph
