// SPDX-License-Identifier: Apache-2.0
// What a forward pass has besides its inputs: the values of the parameters, the dtype to compute
// in, random keys; and what it leaves besides its result.
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

/// A number to look at, averaged by its weight over devices and steps if it has one.
struct Summary {
  Value value;
  Value weight = {};
};

/// What modules leave in the context, by paths such as "decoder/layers/layer3/attention/entropy".
struct Outputs {
  std::map<std::string, Summary> summaries;
  ValueTree state_updates;  // new values of parameters
  std::map<std::string, Value> module_outputs;
};

struct ContextOptions {
  bool is_training = false;
  /// Activations, and parameters where they are used.
  DType compute_dtype = DType::f32;
  /// For dropout and the like; may be absent.
  graph::random::Key key = {};
  graph::random::NameHash hash = graph::random::NameHash::md5_mod_int31;
};

/// For the calls of one model while one program is traced.
class Context {
 public:
  /// Throws invalid_argument, with all differences, unless `params` are those of the model: the
  /// same names and sizes.
  Context(const Module& model, const ValueTree& params, ContextOptions options = {});
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// The value of a parameter in the compute dtype.
  Value operator[](const Param& param) const;
  /// In f32, or f64 if it is kept in that: for sums and norms.
  Value wide(const Param& param) const;
  /// As it is kept.
  Value stored(const Param& param) const;

  bool is_training() const { return options_.is_training; }
  DType dtype() const { return options_.compute_dtype; }
  bool has_key() const { return !options_.key.is_null(); }
  /// The key of a module: that of the module around it with the name folded in, in a stack one for
  /// each layer. Throws invalid_argument if the context has none.
  graph::random::Key key(const Module& module) const;

  void add_summary(const Module& module, std::string_view name, Value value, Value weight = {});
  void add_output(const Module& module, std::string_view name, Value value);
  /// The value that the parameter is to have after this step.
  void update_state(const Param& param, Value value);

  /// What has been left so far.
  Outputs outputs() const;

 private:
  friend class StackBase;

  enum class Kind { summary, summary_weight, state_update, module_output };
  struct Left {  // something that was left
    Kind kind;
    std::string path;
    Value value;
  };
  // What holds inside of one body: a layer of a stack has its slices of parameters.
  struct Frame {
    std::unordered_map<const ParamInfo*, Value> values;
    std::unordered_map<const Module*, graph::random::Key> keys;
    std::vector<Left> left;
  };

  void leave(Kind kind, std::string path, Value value);

  ContextOptions options_;
  std::vector<Frame> frames_;  // the innermost last
};

using Ctx = Context;

/// The first line of a module's call: what follows belongs to the module in messages, and names of
/// axes get their sizes anew.
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
