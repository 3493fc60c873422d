// SPDX-License-Identifier: Apache-2.0
#include "meshwright/nn/context.h"

#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/graph/ops/elementwise.h"

namespace meshwright::nn {

using graph::random::Key;

namespace {

void check_values(const ParamSpecs& specs, const ValueTree& params) {
  auto compare = [](const ParamSpec& spec, const Value& value) {
    return spec.type.dims == value.dims() ? std::string() : str(spec.type, " and ", value);
  };
  std::vector<std::string> found = differences(specs, params, compare, "the model", "the values");
  if (!found.empty()) fail_trees_differ("the model's parameters", "the values", found);
}

AxisSizes traced_sizes(const Module& model, const ValueTree& params) {
  AxisSizes out;
  for_each_param(model, [&](const std::string& path, const ParamInfo& info) {
    std::vector<std::string> axes = info.module->stack_axes();
    axes.insert(axes.end(), info.axes.begin(), info.axes.end());
    const ValueTree* value = params.find(path);
    if (value == nullptr || !value->is_leaf()) return;
    const Dims& dims = value->value().dims();
    for (std::size_t i = 0; i < axes.size() && i < dims.size(); ++i)
      out.emplace(axes[i], dims[i]);
  });
  return out;
}

}  // namespace

Context::Context(const Module& model, const ValueTree& params, ContextOptions options)
    : options_(std::move(options)), frames_(1) {
  // Axes without a size in any module get it from the values.
  check_values(param_specs(model, traced_sizes(model, params)), params);
  for_each_param(model, [&](const std::string& path, const ParamInfo& info) {
    frames_[0].values.emplace(&info, params.at(path).value());
  });
  if (!options_.key.is_null()) frames_[0].keys.emplace(&model, options_.key);
}

Value Context::stored(const Param& param) const {
  MW_CHECK(!param.is_null(), "use of an undeclared parameter", graph::origin(SourceLoc()));
  for (std::size_t i = frames_.size(); i-- > 0;) {
    auto found = frames_[i].values.find(&param.info());
    if (found != frames_[i].values.end()) return found->second;
  }
  fail(ErrorCode::invalid_argument, "parameter '", param.info().name, "' of module '",
       param.info().module->path(), "' is not part of the context's model");
}

Value Context::operator[](const Param& param) const {
  Value value = stored(param);
  return is_float(value.dtype()) ? cast(value, options_.compute_dtype) : value;
}

Value Context::wide(const Param& param) const {
  Value value = stored(param);
  return value.dtype() == f64 || !is_float(value.dtype()) ? value : cast(value, f32);
}

Key Context::key(const Module& module) const {
  MW_CHECK(has_key(), "module '", module.path(),
           "' draws random numbers, but the context has no key");
  for (std::size_t i = frames_.size(); i-- > 0;) {
    auto found = frames_[i].keys.find(&module);
    if (found != frames_[i].keys.end()) return found->second;
  }
  MW_CHECK(module.parent() != nullptr, "the module is not part of the context's model");
  Key above = key(*module.parent());
  return module.name().empty() ? above : fold_in(above, module.name(), options_.hash);
}

void Context::leave(Kind kind, std::string path, Value value) {
  frames_.back().left.push_back({kind, std::move(path), value});
}

void Context::add_summary(const Module& module, std::string_view name, Value value, Value weight) {
  std::string path = join_tree_path(module.path(), name);
  leave(Kind::summary, path, value);
  if (!weight.is_null()) leave(Kind::summary_weight, path, weight);
}

void Context::add_output(const Module& module, std::string_view name, Value value) {
  leave(Kind::module_output, join_tree_path(module.path(), name), value);
}

void Context::update_state(const Param& param, Value value) {
  std::string path = join_tree_path(param.info().module->path(), param.info().name);
  MW_CHECK(value.dims() == stored(param).dims(), "the new value of '", path, "' is ", value,
           ", expected ", stored(param));
  leave(Kind::state_update, std::move(path), value);
}

Outputs Context::outputs() const {
  Outputs out;
  for (const Left& left : frames_[0].left) {
    switch (left.kind) {
      case Kind::summary:
        out.summaries[left.path].value = left.value;
        break;
      case Kind::summary_weight:
        out.summaries[left.path].weight = left.value;
        break;
      case Kind::state_update:
        out.state_updates[left.path] = left.value;
        break;
      case Kind::module_output:
        out.module_outputs[left.path] = left.value;
        break;
    }
  }
  return out;
}

}  // namespace meshwright::nn
