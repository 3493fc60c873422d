// SPDX-License-Identifier: Apache-2.0
// Modules. A model is a struct of parameters and other modules. A module only declares its
// parameters; their values come from the Context passed to each call.
//
//   struct Mlp : nn::Module {
//     using Module::Module;
//     Param w_up = param("w_up", "embed mlp", nn::fan_in("embed"));
//     Param w_down = param("w_down", "mlp embed", nn::fan_in("mlp"));
//     Value operator()(Ctx& p, Value x) const;
//   };
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "meshwright/graph/tracing/axis_scope.h"
#include "meshwright/nn/init.h"
#include "meshwright/tensor/axis_spec.h"
#include "meshwright/tensor/param_spec.h"

namespace meshwright::nn {

using graph::AxisSizes;

class Module;

struct ParamOptions {
  double weight_decay_scale = 1.0;
  /// One role per axis. If empty, the optimizer chooses.
  std::vector<FactorRole> factorization = {};
  /// See ParamSpec::mesh_axes.
  std::optional<std::string> mesh_axes = {};
  /// Defaults to the dtype of the module's parameters.
  std::optional<DType> dtype = {};
  /// True if the forward pass computes the new value, as for batch norm statistics. Such a
  /// parameter has no gradient and no weight decay.
  bool is_state = false;
  /// Fans for initialisers that do not name axes themselves.
  FanAxes fan_axes = {};
};

/// Declaration of a parameter.
struct ParamInfo {
  const Module* module;
  std::string name;
  std::vector<std::string> axes;
  Init init;  // if null, chosen by the parameter's name
  ParamOptions options;
};

/// A handle to a parameter. Its module must outlive it.
class Param {
 public:
  Param() = default;
  explicit Param(const ParamInfo* info) : info_(info) {}

  bool is_null() const { return info_ == nullptr; }
  const ParamInfo& info() const { return *info_; }

 private:
  const ParamInfo* info_ = nullptr;
};

/// A node in the tree of modules, with uniquely named parameters and submodules. Members register
/// themselves with their module in declaration order and keep its address, so a module cannot be
/// moved.
class Module {
 public:
  /// Creates the root of a model, with the sizes of its axes.
  explicit Module(AxisSizes dims = {}) : dims_(std::move(dims)) {}
  /// Creates a submodule of `parent`. With an empty name, its parameters join those of the parent.
  /// `dims` gives axis sizes for this submodule only. Throws invalid_argument if the parent already
  /// uses the name.
  Module(Module* parent, std::string name, AxisSizes dims = {});
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  const Module* parent() const { return parent_; }
  /// Returns the path relative to the root, such as "decoder/layers"; empty for the root.
  std::string path() const;
  const std::vector<std::unique_ptr<ParamInfo>>& params() const { return params_; }
  const std::vector<const Module*>& parts() const { return parts_; }

  /// Returns the size of an axis from the nearest enclosing module that defines it. Throws
  /// invalid_argument if none does.
  std::int64_t size(std::string_view axis) const;
  /// Like size(), but returns nullopt if no module defines the axis.
  std::optional<std::int64_t> find_size(std::string_view axis) const;
  /// Returns all axis sizes visible in this module.
  AxisSizes dims() const;
  /// Returns the rules for parameters of this module and its submodules that declare no
  /// initialiser, matched by the parameter's name, such as "w_up". They take precedence over those
  /// of enclosing modules.
  const InitRules& default_inits() const { return default_inits_; }
  /// Returns the storage dtype of parameters. The nearest enclosing module decides; default: f32.
  DType param_dtype() const;

  /// Returns the axis along which the parameters of all layers are stacked, or "" if this module is
  /// not a stack.
  virtual std::string stack_axis() const { return ""; }
  /// Returns the axes of all enclosing stacks, outermost first. They precede the declared axes of
  /// the parameters.
  std::vector<std::string> stack_axes() const;

 protected:
  /// Declares a parameter, copying its name and axes. Without `init`, its initialiser is chosen by
  /// name (see initial_values). Throws invalid_argument if the name is taken.
  Param param(std::string name, AxisSpec axes, Init init = {}, ParamOptions options = {});

  void set_default_inits(InitRules rules) { default_inits_ = std::move(rules); }
  void set_param_dtype(DType dtype) { param_dtype_ = dtype; }
  void set_dims(AxisSizes dims) { dims_ = std::move(dims); }

 private:
  void check_name(std::string_view name) const;

  Module* parent_ = nullptr;
  std::string name_;
  AxisSizes dims_;
  std::optional<DType> param_dtype_;
  InitRules default_inits_;
  std::vector<std::unique_ptr<ParamInfo>> params_;
  std::vector<const Module*> parts_;
};

/// Calls f(path, parameter) for every parameter of the module, then of its submodules.
void for_each_param(const Module& module,
                    const std::function<void(const std::string& path, const ParamInfo&)>& f);

/// Returns names, types, axes and options of all parameters. `dims` gives the sizes of axes that no
/// module defines. Throws invalid_argument for an axis without a size.
ParamSpecs param_specs(const Module& module, const AxisSizes& dims = {});

/// Returns the number of elements of all parameters.
std::int64_t num_params(const ParamSpecs& specs);

}  // namespace meshwright::nn
