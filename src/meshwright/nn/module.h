// SPDX-License-Identifier: Apache-2.0
// Models are structs of parameters and other modules. A module says what its parameters are; the
// values come with the Context of each call.
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
  /// One per axis; empty: the optimizer's own choice.
  std::vector<FactorRole> factorization = {};
  /// As ParamSpec::mesh_axes.
  std::optional<std::string> mesh_axes = {};
  /// Absent: that of the module.
  std::optional<DType> dtype = {};
  /// The forward pass gives its new values (statistics of a batch norm): no gradient, no decay.
  bool is_state = false;
  /// For initialisers that draw by the number of inputs or outputs and name no axes themselves.
  FanAxes fan_axes = {};
};

/// What a module says of one of its parameters.
struct ParamInfo {
  const Module* module;
  std::string name;
  std::vector<std::string> axes;
  Init init;  // null: by the name
  ParamOptions options;
};

/// A handle to a parameter of a module, which must outlive it.
class Param {
 public:
  Param() = default;
  explicit Param(const ParamInfo* info) : info_(info) {}

  bool is_null() const { return info_ == nullptr; }
  const ParamInfo& info() const { return *info_; }

 private:
  const ParamInfo* info_ = nullptr;
};

/// Parameters and modules with names of their own. Members register in the order in which they are
/// declared; so a module stays where it was made.
class Module {
 public:
  /// The root of a model, with the sizes of its axes.
  explicit Module(AxisSizes dims = {}) : dims_(std::move(dims)) {}
  /// A part of `parent`. With an empty name its parameters stand among those of the parent. `dims`
  /// are sizes for this part alone. Throws invalid_argument if the parent has a part or parameter
  /// of that name.
  Module(Module* parent, std::string name, AxisSizes dims = {});
  virtual ~Module() = default;
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  const Module* parent() const { return parent_; }
  /// "decoder/layers", below the root; empty for the root.
  std::string path() const;
  const std::vector<std::unique_ptr<ParamInfo>>& params() const { return params_; }
  const std::vector<const Module*>& parts() const { return parts_; }

  /// The size of an axis, from the nearest module that knows it. Throws invalid_argument.
  std::int64_t size(std::string_view axis) const;
  /// As `size`; absent if no module knows it.
  std::optional<std::int64_t> find_size(std::string_view axis) const;
  /// All sizes that are known here.
  AxisSizes dims() const;
  /// For parameters of this module and its parts that declare no initialiser, by their names
  /// ("w_up"); before what the modules around it say.
  const InitRules& default_inits() const { return default_inits_; }
  /// The dtype in which parameters are kept: that of the nearest module that says, else f32.
  DType param_dtype() const;

  /// The axis along which arrays of the parts are stacked, one for each layer; empty if they are
  /// not.
  virtual std::string stack_axis() const { return ""; }
  /// The axes of all stacks around this module, the outermost first: they stand before those of its
  /// parameters.
  std::vector<std::string> stack_axes() const;

 protected:
  /// Declares a parameter. Its name and axes are copied. Without `init` it is initialised by its
  /// name, see initial_values. Throws invalid_argument for a name that is taken.
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

/// Calls f(path, parameter) for every parameter of the module, then of its parts.
void for_each_param(const Module& module,
                    const std::function<void(const std::string& path, const ParamInfo&)>& f);

/// Names, types, axes and more of all parameters. `dims` are sizes for axes that no module knows.
/// Throws invalid_argument for an axis without a size.
ParamSpecs param_specs(const Module& module, const AxisSizes& dims = {});

/// The number of elements of all parameters.
std::int64_t num_params(const ParamSpecs& specs);

}  // namespace meshwright::nn
