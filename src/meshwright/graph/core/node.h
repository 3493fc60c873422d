// SPDX-License-Identifier: Apache-2.0
// Overview of graph/; start here.
//
// A program is a graph that is traced once, compiled by XLA and then run many times. Calling a
// graph function such as `exp(x)` computes nothing: it appends a node to the program being traced.
//
// - Value: one result of one node, with a type (dtype and sizes). Models pass around these
//   two-word handles. See value.h.
// - Node: one operation with its operands, its attributes and the types of its results.
// - OpDef: the definition of one kind of operation: type inference, StableHLO text, gradient and,
//   for kernels, how it is split over devices. See op_def.h.
// - Region: a list of nodes with arguments and results. A program has a main region; control flow
//   (scan, while, cond) has regions for its bodies. A body may use outer values; these become
//   captures, which are trailing arguments of the region and trailing operands of its node.
// - Tracer: collects nodes. One is active per thread; graph functions find it by Tracer::current().
//   Tracer::finish returns a Program: the main region, the mesh, and the names, shardings and
//   donations of arguments and results. See tracing/tracer.h and program.h.
// - Axes: dimensions have names such as "batch len embed". A name gets its size at first use; using
//   it with another size is an error at that line. See tracing/axis_scope.h.
// - Sharding: a mesh arranges devices along named mesh axes. Activation rules map axis names to
//   mesh axes; constrain(x, "batch len embed") applies them. XLA's partitioner chooses all other
//   shardings.
// - Manual regions: inside manual(...) a value is one device's shard, and devices communicate only
//   through collectives. Type::varying holds the mesh axes over which a value differs between
//   devices, which lets tracing detect missing and redundant reductions.
// - Multi-process programs are manual over the process axes throughout; see
//   sharding/process_axes.h.
// - Gradients: autodiff/ walks the nodes backwards and calls OpDef::vjp, which appends more nodes.
//
// To add an op: define an OpDef and the function that emits it in ops/, add the OpDef to the array
// of ops in its header (such as kCondOps), from which all_ops.h takes it, and write a gradient or
// set kNoGradient. The tests that cover all ops then require examples of its text and its gradient.
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
  Region* region = nullptr;      // the region that contains the node
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

/// A list of nodes with arguments and results. Nodes refer to nodes of their own region only: an
/// outer value becomes a trailing argument when a body uses it (see Tracer::trace_region).
struct Region {
  Region* parent = nullptr;  // the region being traced when this one was opened
  std::vector<Node*> args;   // kArgument nodes
  std::vector<Node*> nodes;  // in order of execution, without the arguments
  std::vector<Value> results;
  std::vector<Value>
      captures;  // values of the parent, passed as the last captures.size() arguments
  std::unordered_map<Value, Value, ValueHash> imported;  // inner values by outer values
  bool has_side_effect = false;                          // true if any node has one (effects.h)
  mesh::AxisSet communicates;                            // mesh axes of the collectives in it
  mesh::AxisSet manual_axes;            // manual here, including those of enclosing regions
  std::vector<mesh::Sharding> entries;  // manual regions: how each capture is sharded
  std::vector<Value> sources;           // the values its own arguments will have; empty if unknown
  /// Cache of find_declared_sharding() for values of this region.
  std::unordered_map<Value, std::optional<mesh::Sharding>, ValueHash> declared;
  std::unordered_map<Value, std::vector<Value>, ValueHash> varied;  // results of vary()

  int num_args() const { return static_cast<int>(args.size()); }
  Value arg(int i) const { return {args[static_cast<std::size_t>(i)], 0}; }
  /// Returns the number of arguments, not counting captures.
  int num_own_args() const { return num_args() - static_cast<int>(captures.size()); }
  /// True if mesh axes become manual in this region.
  bool is_manual() const { return parent != nullptr && parent->manual_axes != manual_axes; }
};

/// Owns nodes and regions. Their addresses are stable until the graph is destroyed.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Node& new_node();
  Region& new_region(Region* parent);
  int num_nodes() const { return static_cast<int>(nodes_.size()); }

  /// Returns a number for a module path such as "decoder/layers"; equal paths have equal numbers.
  int intern_module_path(const std::string& path);
  const std::string& module_path(int number) const;

 private:
  std::deque<Node> nodes_;
  std::deque<Region> regions_;
  std::deque<std::string> paths_ = {""};
  std::unordered_map<std::string, int> path_numbers_ = {{"", 0}};
};

/// Returns the outer value that an argument captures; nullopt for a body's own arguments.
std::optional<Value> find_capture(const Value& argument);

/// Returns the origin of a node as text for messages, such as " (decoder/layers, block.cc:41)".
std::string origin(const Graph& graph, const Node& node);

}  // namespace meshwright::graph
