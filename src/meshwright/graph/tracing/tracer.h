// SPDX-License-Identifier: Apache-2.0
// Records programs: while a Tracer is alive, graph functions called on its thread append nodes to
// it.
#pragma once

#include <any>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/core/node.h"
#include "meshwright/graph/core/op_def.h"
#include "meshwright/graph/core/program.h"
#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/mesh/axis_rules.h"
#include "meshwright/mesh/mesh.h"

namespace meshwright::graph {

struct TraceOptions {
  mesh::Mesh mesh;
  AxisSizes dims;               // sizes of axis names that are fixed for the whole model
  mesh::AxisRules activations;  // used by constrain(); if empty, constraints by name do nothing
  ProgramTarget target = {};
};

class Tracer {
 public:
  explicit Tracer(TraceOptions options = {});
  /// For passes: traces a new program into the graph of a finished program, which stays unchanged.
  /// Not thread-safe: one pass per graph at a time.
  Tracer(const Program& program, mesh::AxisRules activations);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Returns the innermost tracer of this thread. Throws invalid_argument if there is none.
  static Tracer& current();

  /// Adds an argument to the program.
  Value argument(ArrayType type, ArgumentInfo info = {});
  /// Ends the program; no nodes may be added afterwards.
  Program finish(std::vector<Value> results, std::vector<ResultInfo> infos = {});

  /// Adds a node to the current region and returns its results. Operands from enclosing regions
  /// become captures. Adds the module path and `loc` to errors.
  std::vector<Value> append(const OpDef& op,
                            std::vector<Value> operands,
                            std::any attrs,
                            std::vector<Region*> regions,
                            SourceLoc loc);

  /// Adds a copy of a node with other operands of the same types. Keeps the module path and
  /// location.
  Node& append_copy(const Node& original, std::vector<Value> operands);

  /// Traces a body: calls `body` with the arguments of the region and takes the values it returns
  /// as the results. Outer values that `body` uses become Region::captures and trailing arguments;
  /// the op that owns the region passes them as trailing operands. Cheap values (constants, iota)
  /// are copied into the body instead.
  using Body = std::function<std::vector<Value>(std::span<const Value> args)>;
  Region& trace_region(std::span<const Type> arg_types, const Body& body);

  /// Returns the value as seen from the current region: itself, a copy of a cheap value, or the
  /// argument that captures it.
  Value import(Value value);

  const mesh::Mesh& mesh() const { return program_.mesh; }
  Graph& graph() { return *program_.graph; }
  Region& region() { return *region_; }
  AxisScopes& axes() { return axes_; }
  /// Returns the axis sizes of whole arrays; in a manual region, axes() has the sizes of shards.
  AxisScopes& whole_axes() { return whole_axes_ != nullptr ? *whole_axes_ : axes_; }
  /// The mesh axes that are manual here: collectives work along them, but the partitioner does not.
  /// Includes the process axes.
  mesh::AxisSet manual_axes() const { return manual_axes_; }
  bool in_manual_region() const { return whole_axes_ != nullptr; }
  const mesh::AxisRules& activation_rules() const { return activation_rules_; }
  /// Records that the rule for this axis was used, so that finish() does not warn about it.
  void record_constrained(std::string_view axis);
  const ProgramTarget& target() const { return target_; }
  /// Records the choice between kernel and formula in the program being traced.
  void record_kernel(const OpDef& op, bool is_kernel, const std::string& reason);
  /// The path of the current module, such as "decoder/layers"; empty outside modules.
  const std::string& module_path() const { return module_path_; }

 private:
  friend class ModuleScope;
  friend class OriginScope;
  friend class CallScope;
  friend std::string origin(SourceLoc loc);
  friend class ManualScope;

  void start();
  void record_axes(const KernelAxes& axes);
  Value import_into(Region& region, Value value);
  Value copy_cheap(Region& region, Value value);
  Node& copy_into(Region& region, const Node& original);
  static void add(Region& region, Node& node);
  void set_origin(Node& node, SourceLoc loc);
  void match_varying(Node& node);
  void infer(Node& node);
  void check_results(const std::vector<ResultInfo>& infos) const;
  Node& new_argument(Region& region, const Type& type);

  Tracer* previous_;
  Program program_;
  Region* region_ = nullptr;
  AxisScopes axes_;
  AxisScopes* whole_axes_ = nullptr;  // non-null in manual regions
  mesh::AxisSet manual_axes_;
  mesh::AxisRules activation_rules_;
  ProgramTarget target_;
  std::vector<std::string> constrained_axes_;  // without duplicates
  std::string module_path_;
  const Node* origin_ = nullptr;     // new nodes take its module path and location
  const SourceLoc* call_ = nullptr;  // new nodes take this location
};

/// For the lifetime of this object, new nodes belong to the submodule `name` of the current module.
class ModuleScope {
 public:
  explicit ModuleScope(std::string_view name);
  ~ModuleScope();
  ModuleScope(const ModuleScope&) = delete;
  ModuleScope& operator=(const ModuleScope&) = delete;

 private:
  Tracer& tracer_;
  std::size_t previous_length_;
};

/// For the lifetime of this object, new nodes take the module path and location of `node`, so that
/// the nodes of a gradient rule are attributed to the model's line.
class OriginScope {
 public:
  explicit OriginScope(const Node& node);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  Tracer& tracer_;
  const Node* previous_;
};

/// For the lifetime of this object, new nodes take this location, so that the ops of a composite
/// function are attributed to its caller. The outermost of nested scopes wins.
class CallScope {
 public:
  explicit CallScope(SourceLoc loc);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Tracer& tracer_;
  SourceLoc loc_;
  bool is_outermost_;
};

/// For the lifetime of this object, these mesh axes are also manual, and axis names have the sizes
/// of shards. Used while tracing a manual region and its gradient.
class ManualScope {
 public:
  explicit ManualScope(mesh::AxisSet axes);
  ~ManualScope();
  ManualScope(const ManualScope&) = delete;
  ManualScope& operator=(const ManualScope&) = delete;

 private:
  Tracer& tracer_;
  AxisScopes names_;  // of the enclosing region
  AxisScopes* previous_whole_;
  mesh::AxisSet previous_axes_;
};

/// Returns the origin of new nodes as text for messages, such as " (decoder/layers, block.cc:41)".
std::string origin(SourceLoc loc);

/// Call Tracer::append of the current tracer: emit() for ops with one result, and emit_all() for
/// any op.
Value emit(const OpDef& op, std::initializer_list<Value> operands, std::any attrs, SourceLoc loc);
Value emit(const OpDef& op, std::initializer_list<Value> operands, SourceLoc loc);
std::vector<Value> emit_all(const OpDef& op,
                            std::vector<Value> operands,
                            std::any attrs,
                            std::vector<Region*> regions,
                            SourceLoc loc);

/// Traces `body` as a complete program; for tests and small tools.
Program trace(const std::vector<ArrayType>& arg_types,
              const Tracer::Body& body,
              TraceOptions options = {});

}  // namespace meshwright::graph
