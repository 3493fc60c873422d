// SPDX-License-Identifier: Apache-2.0
// The context of a forward pass: parameter values, compute dtype and random keys as inputs;
// summaries and state updates as additional outputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "meshwright/autodiff/tree_grad.h"
#include "meshwright/graph/random/key.h"
#include "meshwright/graph/tracing/tracer.h"
#include "meshwright/nn/module.h"

namespace meshwright::nn {

using autodiff::ValueTree;

/// A value to report. If it has a weight, its weighted average over devices and steps is reported.
struct Summary {
  Value value;
  Value weight = {};
};

/// Outputs that modules add to the context, keyed by paths such as
/// "decoder/layers/layer3/attention/entropy".
struct Outputs {
  std::map<std::string, Summary> summaries;
  ValueTree state_updates;  // new values of parameters
  std::map<std::string, Value> module_outputs;
};

struct ContextOptions {
  bool is_training = false;
  /// Dtype of activations. Parameters are cast to this dtype where they are used.
  DType compute_dtype = DType::f32;
  /// Key for dropout and other random draws. May be empty.
  graph::random::Key key = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
};

/// State of one model's calls during the tracing of one program.
class Context {
 public:
  /// Throws invalid_argument, listing all differences, unless `params` has the names and sizes of
  /// the model's parameters.
  Context(const Module& model, const ValueTree& params, ContextOptions options = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Returns the value of a parameter in the compute dtype.
  Value operator[](const Param& param) const;
  /// Returns the value in f32, or in f64 if stored in f64. Meant for sums and norms.
  Value wide(const Param& param) const;
  /// Returns the value in its stored dtype.
  Value stored(const Param& param) const;

  bool is_training() const { return options_.is_training; }
  DType dtype() const { return options_.compute_dtype; }
  bool has_key() const { return !options_.key.is_null(); }
  /// Returns the key of a module: its parent's key with the module's name folded in. Each layer of
  /// a stack has its own key. Throws invalid_argument if the context has no key.
  graph::random::Key key(const Module& module) const;

  void add_summary(const Module& module, std::string_view name, Value value, Value weight = {});
  void add_output(const Module& module, std::string_view name, Value value);
  /// Sets the value that the parameter will have after this step.
  void update_state(const Param& param, Value value);

  /// Returns the outputs added so far.
  Outputs outputs() const;

 private:
  friend class StackBase;

  enum class Kind { summary, summary_weight, state_update, module_output };
  struct Left {  // an output
    Kind kind;
    std::string path;
    Value value;
  };
  // Values and keys within one traced body. In a layer of a stack, parameters are slices.
  struct Frame {
    std::unordered_map<const ParamInfo*, Value> values;
    std::unordered_map<const Module*, graph::random::Key> keys;
    std::vector<Left> left;
  };

  void leave(Kind kind, std::string path, Value value);

  ContextOptions options_;
  std::vector<Frame> frames_;  // innermost last
};

using Ctx = Context;

/// Declare a Scope at the top of a module's call operator, so that errors name the module and axis
/// sizes are checked only within that call.
class Scope {
 public:
  explicit Scope(const Module& module) {
    if (!module.name().empty()) module_.emplace(module.name());
  }

 private:
  std::optional<graph::ModuleScope> module_;
  graph::AxisScope axes_;
};

}  // namespace meshwright::nn
