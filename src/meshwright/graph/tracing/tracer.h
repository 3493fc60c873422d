// SPDX-License-Identifier: Apache-2.0
// Recording a program: while a Tracer lives, the graph functions of this thread add nodes to it.
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
  AxisSizes dims;  // the model's table of axis sizes; a name in it has this size everywhere
  mesh::AxisRules activations;  // for constrain(); empty: constraints by name do nothing
  /// The processor that will run the program's kernels. Absent: this host's.
  std::optional<CpuFeatures> cpu = {};
};

class Tracer {
 public:
  explicit Tracer(TraceOptions options = {});
  /// For passes: traces another program into the graph of a finished one, which stays as it is.
  /// Nobody else may be doing that at the same time.
  Tracer(const Program& program, mesh::AxisRules activations);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// The innermost tracer of this thread. Throws invalid_argument if there is none.
  static Tracer& current();

  /// A new argument of the program.
  Value argument(ArrayType type, ArgumentInfo info = {});
  /// Ends the program; the tracer takes no more nodes.
  Program finish(std::vector<Value> results, std::vector<ResultInfo> infos = {});

  /// Adds a node to the region being traced and returns its results. Operands of enclosing regions
  /// become captures. Errors gain the module path and `loc`.
  std::vector<Value> append(const OpDef& op,
                            std::vector<Value> operands,
                            std::any attrs,
                            std::vector<Region*> regions,
                            SourceLoc loc);

  /// Adds a copy of a node with other operands of the same types; its module path and place stay.
  Node& append_copy(const Node& original, std::vector<Value> operands);

  /// Traces a body: `body` gets the arguments and returns the results. Values of enclosing regions
  /// that it uses become Region::captures and trailing arguments; the op that owns the region
  /// passes them as trailing operands. Cheap values (constants, iota) are copied into the body
  /// instead.
  using Body = std::function<std::vector<Value>(std::span<const Value> args)>;
  Region& trace_region(std::span<const Type> arg_types, const Body& body);

  /// The value as seen from the region being traced: itself, or the argument that stands for it.
  Value import(Value value);

  const mesh::Mesh& mesh() const { return program_.mesh; }
  Graph& graph() { return *program_.graph; }
  Region& region() { return *region_; }
  AxisScopes& axes() { return axes_; }
  /// The names of whole arrays; in a manual region axes() are those of the parts.
  AxisScopes& whole_axes() { return whole_axes_ != nullptr ? *whole_axes_ : axes_; }
  /// The mesh axes that are manual here: collectives work along them, the partitioner does not.
  /// Process axes always are.
  mesh::AxisSet manual_axes() const { return manual_axes_; }
  bool in_manual_region() const { return whole_axes_ != nullptr; }
  const mesh::AxisRules& activation_rules() const { return activation_rules_; }
  /// Tells that arrays with this axis were constrained, so that its rule is of use.
  void note_constrained(std::string_view axis);
  const std::optional<CpuFeatures>& cpu() const { return cpu_; }
  /// Records a choice in the program that is being traced.
  void note_kernel(const OpDef& op, bool is_kernel, const std::string& reason);
  /// The path of the module being traced, "decoder/layers"; empty outside modules.
  const std::string& module_path() const { return module_path_; }

 private:
  friend class ModuleScope;
  friend class OriginScope;
  friend class CallScope;
  friend std::string origin(SourceLoc loc);
  friend class ManualScope;

  void start();
  void note_axes(const KernelAxes& axes);
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
  AxisScopes* whole_axes_ = nullptr;  // set in manual regions
  mesh::AxisSet manual_axes_;
  mesh::AxisRules activation_rules_;
  std::optional<CpuFeatures> cpu_;
  std::vector<std::string> constrained_axes_;  // each once
  std::string module_path_;
  const Node* origin_ = nullptr;     // new nodes stand for this one
  const SourceLoc* call_ = nullptr;  // new nodes belong to the function called here
};

/// While it lives, nodes belong to the module `name` below the present one.
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

/// While it lives, new nodes carry the module path and the place of `node`: what a gradient rule
/// adds belongs to the line of the model that it is the gradient of.
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

/// While it lives, new nodes carry this place: what a function made of other ops adds belongs to
/// the line that calls it. Of nested calls the outermost counts.
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

/// While it lives, these mesh axes are manual beside those that are already, and names of axes mean
/// the sizes of parts. Opened around the tracing of a manual region and of its gradient.
class ManualScope {
 public:
  explicit ManualScope(mesh::AxisSet axes);
  ~ManualScope();
  ManualScope(const ManualScope&) = delete;
  ManualScope& operator=(const ManualScope&) = delete;

 private:
  Tracer& tracer_;
  AxisScopes names_;  // those of the surroundings
  AxisScopes* previous_whole_;
  mesh::AxisSet previous_axes_;
};

/// " (decoder/layers, block.cc:41)" for the module being traced; for messages.
std::string origin(SourceLoc loc);

/// Tracer::append on the current tracer, for ops with one result and for ops with several.
Value emit(const OpDef& op, std::initializer_list<Value> operands, std::any attrs, SourceLoc loc);
Value emit(const OpDef& op, std::initializer_list<Value> operands, SourceLoc loc);
std::vector<Value> emit_all(const OpDef& op,
                            std::vector<Value> operands,
                            std::any attrs,
                            std::vector<Region*> regions,
                            SourceLoc loc);

/// Traces `body` as a whole program of its arguments; for tests and small tools.
Program trace(const std::vector<ArrayType>& arg_types,
              const Tracer::Body& body,
              TraceOptions options = {});

}  // namespace meshwright::graph
